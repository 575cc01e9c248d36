/**
 * Retention and compaction of a topic, as options and as text. Each option is a setting of a declaration; `default` removes the
 * setting, so that the default of the log applies.
 */
import { StoplogError } from '@stoplog/core';
import type { TopicShape } from '@stoplog/core/port';
import { cleanupOf, cleaningOf, OF_COMPACTED_TOPICS, OF_EVERY_TOPIC, type Setting } from '@stoplog/core/tools';
import { exactDurationText, oneLine } from '@stoplog/runtime/kit';
import { durationIn } from './duration-text.ts';
import { exactSizeText, sizeIn } from './size-text.ts';

/** The part of a shape that controls retention and compaction. */
export type Settings = Pick<TopicShape, 'cleanup' | 'retentionMs' | 'forgetting'>;
type Cleaning = NonNullable<TopicShape['forgetting']>;

/** A setting that a shape keeps in `forgetting`, as an option. */
interface Option {
  readonly option: string;
  /** The name of the setting in a declaration. */
  readonly declared: string;
  readonly kept: keyof Cleaning;
  readonly setting: Setting;
  readonly isOfCompacted: boolean;
}
const optionsOf = (table: Readonly<Record<string, Setting>>, isOfCompacted: boolean): readonly Option[] =>
  Object.entries(table).flatMap(([declared, setting]) =>
    // The table names the fields of `forgetting`: its type is made from these very entries.
    setting.option !== undefined && setting.keptIn === 'forgetting'
      ? [{ option: setting.option, declared, kept: setting.kept as keyof Cleaning, setting, isOfCompacted }]
      : [],
  );
const OPTIONS: readonly Option[] = [...optionsOf(OF_EVERY_TOPIC, false), ...optionsOf(OF_COMPACTED_TOPICS, true)];
export const SETTING_OPTIONS: Readonly<Record<string, 'text'>> = Object.fromEntries(
  ['cleanup', 'retention', ...OPTIONS.map(({ option }) => option)].map((option) => [option, 'text']),
);

const wrong = (facts: Readonly<Record<string, unknown>>, what: string): StoplogError => new StoplogError('STOPLOG_USAGE', facts, what);

/** Applies the options to `there`: the settings of an existing topic, or the defaults of a new one. */
export const settingsIn = (topic: string, text: (option: string) => string | undefined, there: Settings): Settings => {
  const word = cleanupIn(text('cleanup'));
  const compacts = (word ?? there.cleanup) !== 'delete';
  const spec: Record<string, unknown> = {};
  for (const { option, declared, kept, setting, isOfCompacted } of OPTIONS) {
    const given = text(option);
    if (given !== undefined && isOfCompacted && !compacts)
      throw wrong({ topic, [option]: given }, `--${option} is for compacted topics, and '${topic}' is none: add --cleanup compact, or leave it out`);
    const value = given === undefined ? there.forgetting?.[kept] : given === 'default' ? undefined : valueIn(given, option, setting);
    if (value !== undefined) spec[declared] = value;
  }
  const retention = text('retention');
  let retentionMs = retention === undefined ? there.retentionMs : retentionIn(topic, retention);
  if (word === 'compact') {
    // A compacted topic with a retention has both policies.
    const also = ['retention', 'retention-bytes'].find((option) => !['forever', 'default', undefined].includes(text(option)));
    if (also !== undefined)
      throw wrong({ topic, option: also }, `--cleanup compact keeps the latest of each key for ever: with --${also} write --cleanup both`);
    retentionMs = undefined;
    delete spec['retentionBytes'];
  }
  if (word === 'both' && retentionMs === undefined && spec['retentionBytes'] === undefined)
    throw wrong({ topic }, '--cleanup both compacts and forgets by age or size as well: add --retention 7d or --retention-bytes 10GB');
  const forgetting = cleaningOf(topic, spec);
  return { cleanup: compacts ? 'compact' : 'delete', retentionMs, ...(forgetting === undefined ? {} : { forgetting }) };
};

const cleanupIn = (text: string | undefined): 'delete' | 'compact' | 'both' | undefined => {
  if (text === undefined || text === 'delete' || text === 'compact') return text;
  if (['both', 'compact,delete', 'delete,compact'].includes(text)) return 'both';
  throw wrong({ cleanup: text }, `--cleanup '${oneLine(text)}' is no policy: give delete, compact or both`);
};
const retentionIn = (topic: string, text: string): number | undefined => {
  if (text === 'forever' || text === 'default') return undefined;
  const ms = durationIn(text, 'retention');
  if (ms > 0) return ms;
  throw wrong({ topic, retention: text }, `--retention '${oneLine(text)}' would keep nothing: give 7d or more or less, or forever`);
};
/** The value of an option, in the setting's unit. */
export const valueIn = (text: string, option: string, { type, choices = [] }: Setting): number | string => {
  switch (type) {
    case 'duration':
      return durationIn(text, option);
    case 'bytes':
      return sizeIn(text, option);
    case 'count':
      return Number(text);
    case 'share':
      if (/^(0?\.\d+|0|1(\.0*)?)$/.test(text)) return Number(text);
      throw wrong({ [option]: text }, `--${option} '${oneLine(text)}' is no share: give a number from 0 to 1, such as 0.5`);
    case 'choice':
      if (choices.includes(text)) return text;
      throw wrong({ [option]: text }, `--${option} '${oneLine(text)}' is unknown: give ${choices.join(' or ')}`);
  }
};

/** The cleanup policy of a topic: `delete`, `compact`, `both`. */
export const cleanupWord = (shape: Settings): string => {
  const { compacts, retentionMs, retentionBytes } = cleanupOf(shape);
  return !compacts ? 'delete' : retentionMs === Infinity && retentionBytes === Infinity ? 'compact' : 'both';
};

/** A row for each setting with its effective value, marked `(default)` if the topic does not set it. */
export const settingRows = (shape: Settings): readonly (readonly [option: string, text: string])[] => {
  const cleanup = cleanupOf(shape);
  return [
    ['cleanup', cleanupWord(shape)],
    ['retention', cleanup.retentionMs === Infinity ? 'for ever' : exactDurationText(cleanup.retentionMs)],
    ...OPTIONS.filter(({ isOfCompacted }) => cleanup.compacts || !isOfCompacted).map(
      ({ option, kept, setting }) => [option, `${settingText(cleanup[kept], setting)}${shape.forgetting?.[kept] === undefined ? ' (default)' : ''}`] as const,
    ),
  ];
};
const settingText = (value: number | string, { type, kept }: Setting): string => {
  if (value === Infinity) return 'no limit';
  if (type === 'duration') return exactDurationText(Number(value));
  if (type === 'bytes') return `${exactSizeText(Number(value))}${kept === 'retentionBytes' ? ' in each partition' : ''}`;
  return String(value);
};

/** `retention 7d → for ever, segment-bytes 64 MiB (default) → 16 MiB`; empty when nothing differs. */
export const changesText = (before: Settings, after: Settings): string => {
  const was = new Map(settingRows(before));
  return settingRows(after)
    .filter(([option, text]) => was.get(option) !== text)
    .map(([option, text]) => `${option} ${was.get(option) ?? 'none'} → ${text}`)
    .join(', ');
};
