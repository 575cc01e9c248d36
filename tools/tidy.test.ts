/**
 * Holds the repository in shape, as an ordinary test: each finding is a line `path:line fault: remedy`.
 */
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { doorProblems } from './doors.ts';
import { floorProblems } from './floors.ts';
import { cycleProblems, deadProblems, weightProblems } from './graph.ts';
import { habitProblems, nameProblems } from './habits.ts';
import { readWorkspace } from './sources.ts';

const workspace = readWorkspace(fileURLToPath(new URL('..', import.meta.url)));
const expectNone = (problems: readonly string[]): void => {
  expect(problems, `\n${problems.join('\n')}\n`).toEqual([]);
};

test('imports go down, or stay on their floor', () => expectNone(floorProblems(workspace)));
test('each library comes in by its one door', () => expectNone(doorProblems(workspace)));
test('no import comes back in a circle', () => expectNone(cycleProblems(workspace)));
test('pure code has no clock, no chance and no promise, and no code uses a transaction that keeps half', () => expectNone(habitProblems(workspace)));
test('files are named for what they do', () => expectNone(nameProblems(workspace)));
test('every file is reached from an entry', () => expectNone(deadProblems(workspace)));
test('a start loads nothing that only tools ask for', () => expectNone(weightProblems(workspace)));
