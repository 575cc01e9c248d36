/** Checks the settings of retention and compaction in a declaration, and gives them the names and form of a shape. */
import { checkSetting, unfit, type SettingsIn, type SettingTable } from './setting.ts';
import { OF_COMPACTED_TOPICS, OF_EVERY_TOPIC, type EverySetting, type Cleaning } from './topic-settings.ts';

export type CleaningSpec = { readonly [N in keyof EverySetting as EverySetting[N] extends { readonly keptIn: 'forgetting' } ? N : never]?: unknown };

const TABLE: SettingTable = { ...OF_EVERY_TOPIC, ...OF_COMPACTED_TOPICS };

/** Returns undefined for a declaration without these settings. */
export const cleaningOf = (topic: string, spec: CleaningSpec & Readonly<Record<string, unknown>>): Cleaning | undefined => {
  const made: Record<string, unknown> = {};
  for (const [name, setting] of Object.entries(TABLE)) {
    const found = spec[name];
    if (found === undefined || setting.keptIn !== 'forgetting') continue;
    checkSetting(topic, name, setting, found);
    made[setting.kept] = found;
  }
  const { minCompactionLag, maxCompactionLag } = spec as SettingsIn<EverySetting>;
  if (minCompactionLag !== undefined && maxCompactionLag !== undefined && minCompactionLag > maxCompactionLag)
    throw unfit(topic, 'minCompactionLag', minCompactionLag, 'take one that is not above maxCompactionLag');
  return Object.keys(made).length === 0 ? undefined : Object.freeze(made);
};
