/** The document and the editors' comments agree with the tables of settings, and so does all that the tables derive. */
import { readFileSync } from 'node:fs';
import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import type { Millis } from '../time/duration.ts';
import type { Setting, SettingTable } from './setting.ts';
import { OF_COMPACTED_TOPICS, OF_EVERY_TOPIC, type Cleaning } from './topic-settings.ts';
import { compactedTopic, type CompactedTopicSpec, topicOf } from './topic.ts';

const tables: readonly (readonly [string, SettingTable])[] = [
  ['Every topic', OF_EVERY_TOPIC],
  ['Compacted topics only', OF_COMPACTED_TOPICS],
];
const all: readonly (readonly [string, Setting])[] = tables.flatMap(([, table]) => Object.entries(table));
const read = (path: string): string => readFileSync(new URL(path, import.meta.url), 'utf8');

const UNITS: Readonly<Record<Setting['type'], string>> = { count: 'a number', duration: 'a duration', bytes: 'bytes', share: '0 to 1', choice: '' };
const rowOf = (name: string, { type, choices, option, optionExample, example, defaultText, kafka, sentence }: Setting): string =>
  [
    `| \`${name}: ${example}\``,
    option === undefined ? '' : `\`--${option} ${optionExample}\``,
    type === 'choice' ? choices!.map((choice) => `\`${choice}\``).join(', ') : UNITS[type],
    defaultText,
    kafka === undefined ? '' : `\`${kafka.name}\`, ${kafka.default}`,
    `${sentence} |`,
  ].join(' | ');
const tableText = (table: SettingTable): string =>
  [
    '| setting | option | value | default | Kafka | what it does |',
    '|---|---|---|---|---|---|',
    ...Object.entries(table).map(([name, setting]) => rowOf(name, setting)),
  ].join('\n');

describe('the settings of a topic', () => {
  test('docs/reference/topic-settings.md has the tables, row by row', () => {
    const document = read('../../../../../docs/reference/topic-settings.md');
    const sections = tables.map(([title, table]) => `## ${title}\n\n${tableText(table)}\n`);
    expect(document.slice(document.indexOf('## '))).toBe(sections.join('\n'));
  });
  test.each(all)('the comment above %s, which editors show, is its entry', (name, { sentence, defaultText, kafka }) => {
    const comment = `${sentence}. ${defaultText} when left out.${kafka === undefined ? '' : ` Kafka: ${kafka.name}, ${kafka.default}.`}`;
    expect(read('./topic-settings.ts')).toContain(`  /** ${comment} */\n  ${name}: {`);
  });
  test.each(all)('%s takes its default and its example, and refuses a value of another type with what to write', (name, setting) => {
    const declare = (value: unknown): unknown => topicOf(compactedTopic('t', { key: z.string(), value: z.string(), [name]: value })).shape;
    if (setting.default !== undefined) declare(setting.default);
    expect(() => declare({})).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE', facts: { topic: 't', [name]: {} } }));
    for (const beyond of [setting.least === undefined ? -1 : setting.least - 1, Number.NaN])
      expect(() => declare(beyond)).toThrow(new RegExp(`^topic 't' cannot have ${name}: .*: take .*, or leave it out$`));
  });
  test('the types of a declaration and of a shape follow from the entries', () => {
    expectTypeOf<Required<CompactedTopicSpec<string, string>>>().toExtend<{
      partitions: number;
      retention: Millis;
      segmentBytes: number;
      ageBy: 'arrival' | 'timestamp';
      reads: 'trusted' | 'parsed';
      writes: 'trusted' | 'parsed';
      maxCompactionLag: Millis;
    }>();
    expectTypeOf<Cleaning>().toEqualTypeOf<{
      readonly retentionBytes?: number | undefined;
      readonly segmentMs?: number | undefined;
      readonly segmentBytes?: number | undefined;
      readonly ageBy?: 'arrival' | 'timestamp' | undefined;
      readonly deleteRetentionMs?: number | undefined;
      readonly minCompactionLagMs?: number | undefined;
      readonly maxCompactionLagMs?: number | undefined;
      readonly minDirtyRatio?: number | undefined;
    }>();
  });
});
