import { expect, test } from 'vitest';
import { OF_COMPACTED_TOPICS, OF_EVERY_TOPIC, type Setting } from '@stoplog/core/tools';
import { settingHelp } from '../commands/settings-help.ts';
import { changesText, cleanupWord, settingRows, type Settings, settingsIn, valueIn } from './topic-settings.ts';

const FRESH: Settings = { cleanup: 'delete', retentionMs: undefined };
const from = (given: Readonly<Record<string, string>>, there: Settings = FRESH): Settings => settingsIn('t', (option) => given[option], there);
const COMPACTED = from({ cleanup: 'compact' });

const settings: readonly (readonly [string, Setting])[] = Object.entries<Setting>({ ...OF_EVERY_TOPIC, ...OF_COMPACTED_TOPICS }).filter(
  ([, { option }]) => option !== undefined,
);
test.each(settings)('the option of %s reads its example, and its default as the help writes it', (name, setting) => {
  const { option, optionExample, defaultText, type } = setting;
  expect(() => valueIn(optionExample!, option!, setting)).not.toThrow();
  // The text after a comma says when another default applies.
  if (setting.default !== undefined) expect(valueIn(defaultText.split(',')[0]!, option!, setting)).toBe(setting.default);
  expect(type === 'choice' || settingHelp(setting).includes(`: ${optionExample}; `)).toBe(true);
  expect(name.toLowerCase()).toBe(option!.replaceAll('-', ''));
});
test('every setting of a declaration has an option', () => {
  expect(
    from({
      cleanup: 'both',
      retention: '7d',
      'retention-bytes': '10GB',
      segment: '1h',
      'segment-bytes': '16MiB',
      'delete-retention': '2d',
      'min-compaction-lag': '5m',
      'max-compaction-lag': '7d',
      'min-dirty-ratio': '0.2',
      'age-by': 'timestamp',
    }),
  ).toEqual({
    cleanup: 'compact',
    retentionMs: 604_800_000,
    forgetting: {
      retentionBytes: 10_000_000_000,
      segmentMs: 3_600_000,
      segmentBytes: 16_777_216,
      deleteRetentionMs: 172_800_000,
      minCompactionLagMs: 300_000,
      maxCompactionLagMs: 604_800_000,
      minDirtyRatio: 0.2,
      ageBy: 'timestamp',
    },
  });
  expect(from({})).toEqual(FRESH);
});
test('an omitted setting stays, and default restores the default', () => {
  const there = from({ retention: '7d', segment: '1h', 'segment-bytes': '1MiB' });
  expect(from({ segment: 'default' }, there)).toEqual({ cleanup: 'delete', retentionMs: 604_800_000, forgetting: { segmentBytes: 1_048_576 } });
  expect(from({ retention: 'forever', segment: 'default', 'segment-bytes': 'default' }, there)).toEqual(FRESH);
});
test('a compacted topic changes from compact to both with a retention, and back without', () => {
  const both = from({ cleanup: 'both', retention: '1d' });
  expect([cleanupWord(FRESH), cleanupWord(COMPACTED), cleanupWord(both)]).toEqual(['delete', 'compact', 'both']);
  expect(from({ cleanup: 'compact' }, both)).toEqual(COMPACTED);
  expect(from({ cleanup: 'both', 'retention-bytes': '5' }, COMPACTED)).toEqual({
    cleanup: 'compact',
    retentionMs: undefined,
    forgetting: { retentionBytes: 5 },
  });
});
test.each<[Readonly<Record<string, string>>, Settings, RegExp]>([
  [{ cleanup: 'tidy' }, FRESH, /^--cleanup 'tidy' is no policy: give delete, compact or both$/],
  [{ cleanup: 'both' }, FRESH, /add --retention 7d or --retention-bytes 10GB$/],
  [{ cleanup: 'compact', retention: '1d' }, FRESH, /with --retention write --cleanup both$/],
  [{ 'min-dirty-ratio': '0.5' }, FRESH, /is for compacted topics, and 't' is none: add --cleanup compact/],
  [{ 'min-dirty-ratio': '2' }, COMPACTED, /is no share: give a number from 0 to 1/],
  [{ 'age-by': 'wall' }, FRESH, /give arrival or timestamp$/],
  [{ retention: '0s' }, FRESH, /would keep nothing/],
  [{ segment: '0s' }, FRESH, /cannot have segment: 0: take hours\(1\)/],
  [{ 'min-compaction-lag': '2d', 'max-compaction-lag': '1d' }, COMPACTED, /take one that is not above maxCompactionLag/],
])('%j is refused with the remedy', (given, there, words) => {
  expect(() => from(given, there)).toThrow(words);
});
test('the settings of a topic are printed with their effective values, and defaults are marked', () => {
  expect(settingRows(from({ retention: '8h', 'segment-bytes': '1MiB' }))).toEqual([
    ['cleanup', 'delete'],
    ['retention', '8h'],
    ['retention-bytes', 'no limit (default)'],
    ['segment', '1h (default)'],
    ['segment-bytes', '1 MiB'],
    ['age-by', 'arrival (default)'],
  ]);
  expect(settingRows(COMPACTED)).toContainEqual(['delete-retention', '1d (default)']);
  expect(changesText(FRESH, from({ retention: '7d' }))).toBe('retention for ever → 7d, segment 7d (default) → 21h (default)');
  expect(changesText(COMPACTED, COMPACTED)).toBe('');
  // A change that is small compared with the setting is still printed.
  const week = from({ retention: '7d', segment: '1h', 'segment-bytes': '4200000' });
  expect(changesText(week, from({ retention: '10081m', 'segment-bytes': '4210001' }, week))).toBe('retention 7d → 7d 1m, segment-bytes 4.2 MB → 4 210 001 B');
});
