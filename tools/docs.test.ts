/**
 * Every TypeScript block of the documents and every example in a docstring compiles against the built packages, and every transcript that is marked `<!--
 * replay -->` prints its output.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { compile, layOut, readDocstrings, readDocuments, replay, transcriptsOf } from './docs.ts';

const documents = readDocuments();
const docstrings = readDocstrings();
let problems: readonly string[] = [];
beforeAll(() => {
  const all = [...documents, ...docstrings];
  problems = [...layOut(all), ...compile(all)];
});

test('every TypeScript block, and every example in a docstring, compiles', () => {
  expect(docstrings.flatMap(({ blocks }) => blocks).length).toBeGreaterThan(50);
  expect(problems, `\n${problems.join('\n')}\n`).toEqual([]);
});

const transcripts = transcriptsOf(documents);
describe.runIf(transcripts.length > 0)('a transcript prints its output', () => {
  test.each(transcripts)('%s', { timeout: 300_000 }, (_, document, block) => {
    expect(replay(document, block)).toBeUndefined();
  });
});
