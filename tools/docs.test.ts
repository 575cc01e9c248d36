/**
 * Every TypeScript block of the documents compiles against the built packages, and every transcript that is marked `<!--
 * replay -->` prints its output.
 */
import { beforeAll, describe, expect, test } from 'vitest';
import { compile, layOut, readDocuments, replay, transcriptsOf } from './docs.ts';

const documents = readDocuments();
let problems: readonly string[] = [];
beforeAll(() => {
  problems = [...layOut(documents), ...compile(documents)];
});

test('every TypeScript block compiles', () => {
  expect(problems, `\n${problems.join('\n')}\n`).toEqual([]);
});

const transcripts = transcriptsOf(documents);
describe.runIf(transcripts.length > 0)('a transcript prints its output', () => {
  test.each(transcripts)('%s', { timeout: 300_000 }, (_, document, block) => {
    expect(replay(document, block)).toBeUndefined();
  });
});
