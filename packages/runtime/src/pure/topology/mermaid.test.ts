import { compactedTopic, store, topic, type Source } from '@stoplog/core';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { source } from '../pipeline/arrivals.ts';
import { pipeline } from '../pipeline/pipeline.ts';
import { stream } from '../pipeline/stream.ts';
import { table } from '../pipeline/table.ts';
import { printable } from './label.ts';
import { drawMermaid } from './mermaid.ts';
import { planOf } from './plan.ts';

const text = { key: z.string(), value: z.string() };

describe('drawMermaid', () => {
  test('a drawing has topics outside, a box around each task, and every edge between', () => {
    const ticks: Source<string, string> = { kind: 'source', name: 'ticks', open: () => Promise.reject(new Error('never')) };
    const made = pipeline(
      'all',
      source(ticks)
        .map((tick) => tick)
        .rekey((tick) => tick)
        .through(topic('by-tick', text))
        .join(table(compactedTopic('names', text)), (tick) => tick)
        .count(store('n', { key: z.string(), value: z.int() }))
        .to(compactedTopic('counts', { key: z.string(), value: z.int() })),
      stream(topic('lines', text)).to({ kind: 'sink', name: 'page', open: () => Promise.reject(new Error('never opened')) }),
    );
    expect(drawMermaid(planOf(made))).toBe(`\
flowchart LR
  topic0[("by-tick")]
  topic1[("names")]
  topic2[("counts")]
  topic3[("lines")]
  n0(["ticks"])
  n8(["page"])
  subgraph task0["task 0 · 1 partition"]
    n1["map"]
    n2["rekey"]
  end
  subgraph task1["task 1 · 4 partitions"]
    n4["join"]
    n5["count n"]
  end
  n0 --> n1
  n1 --> n2
  n2 --> topic0
  topic0 --> n4
  topic1 -->|table| n4
  n4 --> n5
  n5 --> topic2
  topic3 --> n8
`);
  });
});

describe('names that a connector chose', () => {
  test('a name with an escape sequence cannot control a terminal', () => {
    expect(printable('queue \u001b[2J\n\u202eевро €')).toBe('queue \\u{1b}[2J\\u{a}\\u{202e}евро €');
  });
});
