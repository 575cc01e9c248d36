/** Reading a store from outside its actor. */
import { store, topic } from '@stoplog/core';
import { memoryLog } from '@stoplog/core/testing';
import { expect, test } from 'vitest';
import { z } from 'zod';
import { pipeline } from '../pure/pipeline/pipeline.ts';
import { stream } from '../pure/pipeline/stream.ts';
import { planOf } from '../pure/topology/plan.ts';
import { readStore } from './stores.ts';

test('a bound that the range of a store does not know is refused by name, in place of the whole store', async () => {
  const words = topic('words', { key: z.string(), value: z.string() });
  const sums = store('sums', { key: z.string(), value: z.number() });
  const log = memoryLog();
  const reader = readStore(log, planOf(pipeline('p', stream(words).count(sums))), sums);
  for (const name of ['gt', 'lte', 'from'])
    expect(() => reader.range({ [name]: 'a' })).toThrow(expect.objectContaining({ code: 'STOPLOG_USAGE', facts: expect.objectContaining({ setting: name }) }));
  await log[Symbol.asyncDispose]();
});
