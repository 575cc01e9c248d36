/**
 * Holds the comments and test titles to the bounds of plain words: each package, and each other folder of the repository, by
 * itself, so that a folder cannot get worse while another gets better.
 */
import { fileURLToPath } from 'node:url';
import { describe, expect, test } from 'vitest';
import { proseOf, type Prose } from './prose.ts';
import { readWorkspace, sourceFile } from './sources.ts';
import { fragmentsIn, isSentence } from './titles.ts';

interface Bounds {
  /** Comments that open with a relative clause or a pronoun, in percent. */
  readonly openings: number;
  /** Vague words per 100 words. */
  readonly vague: number;
  /** Test titles that are fragments, in percent. */
  readonly fragments: number;
}

const PLAIN: Bounds = { openings: 2, vague: 0.5, fragments: 2 };

const { files } = readWorkspace(fileURLToPath(new URL('..', import.meta.url)));
/** `packages/core` for a file of a package, else the first folder of the path. */
const areaOf = (path: string): string => /^(?:packages\/)?[^/]+/.exec(path)![0];
const areas = [...new Set(files.map(({ path }) => areaOf(path)))].toSorted();
const percent = (part: number, whole: number): number => (whole === 0 ? 0 : (100 * part) / whole);
const sharesOf = (prose: Prose): Bounds => ({
  openings: percent(prose.openings, prose.comments),
  vague: percent(prose.vague, prose.words),
  fragments: percent(prose.fragments, prose.titles),
});
const printed = ({ openings, vague, fragments }: Bounds): string =>
  `openings ${openings.toFixed(1)} %, vague words ${vague.toFixed(2)} per 100, fragments ${fragments.toFixed(1)} %`;

describe('plain words', () => {
  test.each(areas)('%s keeps the bounds', (area) => {
    const prose = proseOf(files.filter(({ path }) => areaOf(path) === area));
    const shares = sharesOf(prose);
    console.log(`${area}: ${printed(shares)} (at most ${printed(PLAIN)})`);
    const exceeded = shares.openings > PLAIN.openings || shares.vague > PLAIN.vague || shares.fragments > PLAIN.fragments;
    expect(exceeded, `${printed(shares)}, at most ${printed(PLAIN)}; the first findings:\n${prose.findings.slice(0, 40).join('\n')}\n`).toBe(false);
  });
});

describe('the measure', () => {
  const prose = (text: string): Prose => proseOf([sourceFile('packages/core/src/a.test.ts', text)]);
  test('a comment that opens with a relative clause is counted', () => {
    expect(prose('/** What a reader sees. */\n// Of a topic.\n/** The records that a reader sees. */')).toMatchObject({ comments: 3, openings: 2 });
  });
  test('line comments under each other are one comment', () => {
    expect(prose('// The first line\n// that has a second one.\n\n// Another.')).toMatchObject({ comments: 2 });
  });
  test('vague words are counted in comments, and not in strings, code or words that contain them', () => {
    expect(prose("/** Nobody knows `who` anew: somewhat a what-if. */ const a = 'who';")).toMatchObject({ vague: 2 });
  });
  test('each finding names the line and the remedy', () => {
    expect(prose("\n\n/** Those that wait. */\ntest('is late', f);").findings).toEqual([
      "packages/core/src/a.test.ts:3  opens with 'those': begin with a noun of the glossary, or a verb",
      "packages/core/src/a.test.ts:3  says 'Those': name the noun",
      "packages/core/src/a.test.ts:4  is titled 'is late': write a sentence with a subject and a verb",
    ]);
  });
  test.each([
    'an expired lease makes the job visible to another actor',
    'commits of one member are answered in order',
    'names that are special in JavaScript are names',
    '%s comes back from its bytes',
    'order: two appends to one partition follow each other',
  ])('"%s" is a sentence', (title) => expect(isSentence(title)).toBe(true));
  test.each(['is nothing at the end', 'of %j as the name of a topic', 'keeps the newest record', 'a file of positions', 'and by no other'])(
    '"%s" is a fragment',
    (title) => expect(isSentence(title)).toBe(false),
  );
  test('a row of a table takes its subject and verb from the title above', () => {
    const rows = (above: string): number => fragmentsIn(`describe('${above}', () => { test.each([[1]])('%i bytes', f); });`).fragments.length;
    expect([rows('a key is hashed as Kafka hashes it'), rows('keys')]).toEqual([0, 1]);
  });
});
