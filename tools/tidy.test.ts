/**
 * Holds the repository in shape, as an ordinary test: each finding is a line `path:line fault: remedy`.
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { deadProblems, weightProblems } from './graph.ts';
import { habitProblems, nameProblems } from './habits.ts';
import { importProblems } from './import-rules.ts';
import { readWorkspace } from './sources.ts';

const root = fileURLToPath(new URL('..', import.meta.url));
const workspace = readWorkspace(root);
const expectNone = (problems: readonly string[]): void => {
  expect(problems, `\n${problems.join('\n')}\n`).toEqual([]);
};

test('imports go down the floors, come in by their doors, and close no circle', { timeout: 120_000 }, async () =>
  expectNone(await importProblems(root, workspace)),
);
test('pure code has no clock, no chance and no promise, and no code uses a transaction that keeps half', () => expectNone(habitProblems(workspace)));
test('files are named for what they do', () => expectNone(nameProblems(workspace)));
test('every file is reached from an entry', () => expectNone(deadProblems(workspace)));
test('a start loads nothing that only tools ask for', () => expectNone(weightProblems(workspace)));
