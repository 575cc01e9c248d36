/**
 * How a topic forgets, as options say it and as people read it. Each option is a setting of a declaration; `default` takes it back,
 * and then the log's own default counts.
 */
import { StoplogError } from '@stoplog/core';
import type { TopicShape } from '@stoplog/core/port';
import { cleanupOf, forgettingOf, type ForgettingSpec } from '@stoplog/core/tools';
import { exactDurationText, oneLine } from '@stoplog/runtime/kit';
import { durationIn } from './duration-text.ts';
import { exactSizeText, sizeIn } from './size-text.ts';

/** What of a shape is about forgetting. */
export type Settings = Pick<TopicShape, 'cleanup' | 'retentionMs' | 'forgetting'>;
type Forgetting = NonNullable<TopicShape['forgetting']>;
type Kind = 'duration' | 'size' | 'share' | 'clock';

/** Of each option: its name in a declaration, in a shape, what it holds, and whether only a compacted topic has it. */
const OPTIONS: readonly (readonly [option: string, declared: keyof ForgettingSpec, kept: keyof Forgetting, Kind, ofCompacted: boolean])[] = [
  ['retention-bytes', 'retentionBytes', 'retentionBytes', 'size', false],
  ['segment', 'segment', 'segmentMs', 'duration', false],
  ['segment-bytes', 'segmentBytes', 'segmentBytes', 'size', false],
  ['age-by', 'ageBy', 'ageBy', 'clock', false],
  ['delete-retention', 'deleteRetention', 'deleteRetentionMs', 'duration', true],
  ['min-compaction-lag', 'minCompactionLag', 'minCompactionLagMs', 'duration', true],
  ['max-compaction-lag', 'maxCompactionLag', 'maxCompactionLagMs', 'duration', true],
  ['min-dirty-ratio', 'minDirtyRatio', 'minDirtyRatio', 'share', true],
];
export const SETTING_OPTIONS: Readonly<Record<string, 'text'>> = Object.fromEntries(
  ['cleanup', 'retention', ...OPTIONS.map(([option]) => option)].map((option) => [option, 'text']),
);

const wrong = (facts: Readonly<Record<string, unknown>>, what: string): StoplogError => new StoplogError('STOPLOG_USAGE', facts, what);

/** What the options make of `there`, which is what a topic has, or what a new one would have. */
export const settingsIn = (topic: string, text: (option: string) => string | undefined, there: Settings): Settings => {
  const word = cleanupIn(text('cleanup'));
  const compacts = (word ?? there.cleanup) !== 'delete';
  const spec: Record<string, unknown> = {};
  for (const [option, declared, kept, kind, ofCompacted] of OPTIONS) {
    const given = text(option);
    if (given !== undefined && ofCompacted && !compacts)
      throw wrong({ topic, [option]: given }, `--${option} is for compacted topics, and '${topic}' is none: add --cleanup compact, or leave it out`);
    const value = given === undefined ? there.forgetting?.[kept] : given === 'default' ? undefined : valueIn(given, option, kind);
    if (value !== undefined) spec[declared] = value;
  }
  const retention = text('retention');
  let retentionMs = retention === undefined ? there.retentionMs : retentionIn(topic, retention);
  if (word === 'compact') {
    // Both policies are what a compacted topic with a retention has.
    const also = ['retention', 'retention-bytes'].find((option) => !['forever', 'default', undefined].includes(text(option)));
    if (also !== undefined)
      throw wrong({ topic, option: also }, `--cleanup compact keeps the latest of each key for ever: with --${also} write --cleanup both`);
    retentionMs = undefined;
    delete spec['retentionBytes'];
  }
  if (word === 'both' && retentionMs === undefined && spec['retentionBytes'] === undefined)
    throw wrong({ topic }, '--cleanup both compacts and forgets by age or size as well: add --retention 7d or --retention-bytes 10GB');
  const forgetting = forgettingOf(topic, spec);
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
const valueIn = (text: string, option: string, kind: Kind): number | string => {
  switch (kind) {
    case 'duration':
      return durationIn(text, option);
    case 'size':
      return sizeIn(text, option);
    case 'share':
      if (/^(0?\.\d+|0|1(\.0*)?)$/.test(text)) return Number(text);
      throw wrong({ [option]: text }, `--${option} '${oneLine(text)}' is no share: give a number from 0 to 1, such as 0.5`);
    case 'clock':
      if (text === 'arrival' || text === 'timestamp') return text;
      throw wrong({ [option]: text }, `--${option} '${oneLine(text)}' is no clock: give arrival or timestamp`);
  }
};

/** What a topic is said to do: `delete`, `compact`, `both`. */
export const cleanupWord = (shape: Settings): string => {
  const { compacts, retentionMs, retentionBytes } = cleanupOf(shape);
  return !compacts ? 'delete' : retentionMs === Infinity && retentionBytes === Infinity ? 'compact' : 'both';
};

/** Every setting with what counts, a row each; `(default)` where the topic does not say. */
export const settingRows = (shape: Settings): readonly (readonly [option: string, text: string])[] => {
  const cleanup = cleanupOf(shape);
  const time = (ms: number): string => (ms === Infinity ? 'no limit' : exactDurationText(ms));
  const size = (bytes: number): string => (bytes === Infinity ? 'no limit' : exactSizeText(bytes));
  const texts: Readonly<Record<string, string>> = {
    'retention-bytes': cleanup.retentionBytes === Infinity ? 'no limit' : `${size(cleanup.retentionBytes)} in each partition`,
    segment: time(cleanup.segmentMs),
    'segment-bytes': size(cleanup.segmentBytes),
    'age-by': cleanup.ageBy,
    'delete-retention': time(cleanup.deleteRetentionMs),
    'min-compaction-lag': time(cleanup.minCompactionLagMs),
    'max-compaction-lag': time(cleanup.maxCompactionLagMs),
    'min-dirty-ratio': String(cleanup.minDirtyRatio),
  };
  return [
    ['cleanup', cleanupWord(shape)],
    ['retention', cleanup.retentionMs === Infinity ? 'for ever' : time(cleanup.retentionMs)],
    ...OPTIONS.filter(([, , , , ofCompacted]) => cleanup.compacts || !ofCompacted).map(
      ([option, , kept]) => [option, `${texts[option]}${shape.forgetting?.[kept] === undefined ? ' (default)' : ''}`] as const,
    ),
  ];
};

/** `retention 7d → for ever, segment-bytes 64 MiB (default) → 16 MiB`; empty when nothing differs. */
export const changesText = (before: Settings, after: Settings): string => {
  const was = new Map(settingRows(before));
  return settingRows(after)
    .filter(([option, text]) => was.get(option) !== text)
    .map(([option, text]) => `${option} ${was.get(option) ?? 'none'} → ${text}`)
    .join(', ');
};
