/**
 * A pipeline that reads its own output is refused: a record could go round for ever, and the pipeline would never be settled.
 *
 * A graph cannot contain a loop, since a node is made after its inputs; so every loop goes through a topic.
 */
import { StoplogError } from '@stoplog/core';
import type { Node } from '../nodes/node.ts';
import { placeOf } from './label.ts';
import { writtenTopic, type Cut } from './wiring.ts';

/** A step of a loop: the node that appends, the topic, and the cut that reads it. */
interface Step {
  readonly writer: number;
  readonly topic: string;
  readonly to: number;
}

export const checkCycles = (nodes: readonly Node[], cuts: readonly Cut[]): void => {
  const loop = findLoop(stepsBetween(nodes, cuts));
  const last = loop?.at(-1);
  if (loop === undefined || last === undefined) return;
  const path = [last.topic, ...loop.map((step) => step.topic)];
  const writer = nodes[last.writer];
  throw new StoplogError(
    'STOPLOG_TOPOLOGY',
    { node: last.writer, topics: path },
    `this pipeline reads its own output: ${path.map((topic) => `'${topic}'`).join(' → ')}` +
      `${writer === undefined ? '' : `, closed by ${placeOf(writer, last.writer)}`}. A record could go round for ever. ` +
      `Write to a topic that nothing before it reads, or read '${last.topic}' in a second pipeline`,
  );
};

const stepsBetween = (nodes: readonly Node[], cuts: readonly Cut[]): readonly (readonly Step[])[] => {
  const readBy = new Map<string, number>();
  cuts.forEach((cut, index) => {
    for (const reader of cut.readers) {
      const read = nodes[reader]?.reads;
      if (read) readBy.set(read.topic.name, index);
    }
  });
  return cuts.map((cut) =>
    cut.writers.flatMap((writer): readonly Step[] => {
      const topic = (nodes[writer] && writtenTopic(nodes[writer]))?.name;
      const to = topic === undefined ? undefined : readBy.get(topic);
      return topic === undefined || to === undefined ? [] : [{ writer, topic, to }];
    }),
  );
};

/** Finds the first loop by walking from each cut; with an explicit stack, for a chain of ten thousand topics. */
const findLoop = (steps: readonly (readonly Step[])[]): readonly Step[] | undefined => {
  const done = new Set<number>();
  for (const start of steps.keys()) {
    const path: { readonly cut: number; next: number; readonly by: Step | undefined }[] = [{ cut: start, next: 0, by: undefined }];
    const onPath = new Map<number, number>([[start, 0]]);
    for (let top = path.at(-1); top !== undefined; top = path.at(-1)) {
      const step = done.has(top.cut) ? undefined : steps[top.cut]?.[top.next++];
      if (step === undefined) {
        done.add(top.cut);
        onPath.delete(top.cut);
        path.pop();
        continue;
      }
      const since = onPath.get(step.to);
      if (since !== undefined) return [...path.slice(since + 1).map(({ by }) => by), step].filter((by) => by !== undefined);
      onPath.set(step.to, path.length);
      path.push({ cut: step.to, next: 0, by: step });
    }
  }
  return undefined;
};
