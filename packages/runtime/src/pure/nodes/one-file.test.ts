import { store, topic } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { drive } from '../../testing/drive.ts';
import { seeds } from '../../testing/seeds.ts';
import { simulate } from '../../testing/simulate.ts';
import { pipeline, type Pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { drawText } from '../topology/draw.ts';
import { drawMermaid } from '../topology/mermaid.ts';
import { planOf } from '../topology/plan.ts';
import { compileTask } from './compile.ts';
import type { Emit } from './emit.ts';
import { everyNth } from './fixtures/every-nth.ts';
import { map } from './map.ts';
import type { StreamNode } from './node.ts';
import type { AnyRecord } from './record.ts';
import { stream as streamNode } from './stream.ts';
import { to as toNode } from './to.ts';

const numbers = { key: z.string(), value: z.int(), partitions: 2 };
const [from, to] = [topic('from', numbers), topic('to', numbers)];
const seen = store('seen', { key: z.string(), value: z.int() });
const thirds = (n = 3, kept = seen): Pipeline => pipeline('thirds', everyNth(stream(from), kept, n).to(to));

describe('a verb that is declared in one file', () => {
  test('the verb is planned: its task has its store', () => {
    const [task] = planOf(thirds()).tasks;
    expect(task?.stores.map(({ name }) => name)).toEqual(['seen']);
    expect(task?.nodes.map(({ verb }) => verb)).toEqual(['stream', 'everyNth', 'to']);
  });

  test('the verb is drawn in both drawings', () => {
    expect(drawText(planOf(thirds()))).toContain('from ─ everyNth 3 seen ─▶ to');
    expect(drawMermaid(planOf(thirds()))).toContain('n1["everyNth 3 seen"]');
  });

  test('the verb is in the fingerprint with its declaration', () => {
    const fingerprints = [thirds(), thirds(4), thirds(3, store('other', { key: z.string(), value: z.int() }))].map((made) => planOf(made).fingerprint);
    expect(new Set(fingerprints).size).toBe(3);
    expect(planOf(thirds()).fingerprint).toBe(fingerprints[0]);
  });

  test('the verb is checked: its store has one owner', () => {
    const twice = pipeline('twice', everyNth(stream(from), seen, 2).to(to), stream(from).count(seen));
    expect(() => planOf(twice)).toThrow(/store 'seen' is given to two verbs, everyNth of 'from' \(node 1\) and count of 'from'/);
  });

  test('the verb is driven, and keeps its state over a restart', () => {
    const d = drive(thirds());
    for (const n of [1, 2]) d.send(from, 'a', n);
    d.restart();
    for (const n of [3, 4]) d.send(from, 'a', n);
    expect(d.read(to)).toEqual([{ key: 'a', value: 3 }]);
    expect(d.store(seen).get('a')).toBe(1);
  });

  test('the verb is simulated, with the outcome of drive whatever crashes', () => {
    const records = Array.from({ length: 24 }, (_, n) => ({ key: `k${n % 3}`, value: n }));
    for (const seed of seeds(20)) {
      const { read } = simulate(thirds(), { seed, inputs: [{ topic: from, records }] });
      expect(read(to)).toHaveLength(6);
    }
  });
});

describe('the hooks of a compiled task', () => {
  const record = (value: number): AnyRecord => ({ key: 'k', value, timestamp: value, headers: [], offset: 0n, topic: 'from', partition: 0 });
  /** Keeps each record until the next advance or tick, then emits all of them. */
  const heldBack = (input: StreamNode, name: string, by: 'onAdvance' | 'onTick'): StreamNode => ({
    kind: name,
    verb: name,
    yields: 'records',
    inputs: [input],
    declares: {},
    compile: (task, emit: Emit) => {
      const held: AnyRecord[] = [];
      task.onRecord(input, (one) => void held.push(one));
      task[by](() => held.splice(0).forEach(emit));
    },
  });
  const compiled = (make: (input: StreamNode) => StreamNode): { readonly out: unknown[]; readonly task: ReturnType<typeof compileTask> } => {
    const [input] = planOf(pipeline('p', stream(from).to(to))).tasks[0]!.inputs;
    const [first, out] = [streamNode(input!.topic), [] as unknown[]];
    const last = make(first);
    const nodes: (StreamNode | ReturnType<typeof toNode>)[] = [];
    for (let at: StreamNode | undefined = last; at !== undefined; at = at.inputs[0] as StreamNode | undefined) nodes.unshift(at);
    const output = { record: (one: AnyRecord) => void out.push(one.value), rekeyed: () => {}, latest: () => {} };
    const task = compileTask(
      { nodes: [...nodes, toNode(last, input!.topic)], inputs: [input!], source: undefined },
      { stores: new Map(), outputs: new Map([['from', output]]) },
    );
    return { out, task };
  };

  test('advance reaches the nodes in their order, and their outputs pass through the task', () => {
    const { out, task } = compiled((input) => map(heldBack(heldBack(input, 'a', 'onAdvance'), 'b', 'onAdvance'), (n) => (n as number) * 10));
    task.emits[0]!(record(1));
    expect(out).toEqual([]);
    task.advance(5);
    expect(out).toEqual([10]);
  });

  test('tick reaches only the nodes that asked for the wall clock', () => {
    const { out, task } = compiled((input) => heldBack(input, 'a', 'onTick'));
    task.emits[0]!(record(1));
    task.advance(5);
    expect(out).toEqual([]);
    task.tick(5);
    expect(out).toEqual([1]);
  });
});
