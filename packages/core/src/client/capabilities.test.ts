import { describe, expect, expectTypeOf, test } from 'vitest';
import { z } from 'zod';
import { lmdb } from '../lmdb/index.ts';
import type { LogModule, LogRef } from '../port/log-module.ts';
import { topic } from '../pure/topic/topic.ts';
import { memoryLog } from '../testing/memory-log.ts';
import { makeClient, type LogClient } from './client.ts';
import type { NumberedClient } from './client.ts';
import { openLog } from './open.ts';
import { loadTools } from './tools.ts';

const letters = topic('letters', { key: z.string(), value: z.string(), partitions: 1 });
/** The log in memory as a log without producers, conditional appends and tools would export it. */
const plain = new URL('./fixtures/plain-log.mjs', import.meta.url).href;
const ref: LogRef = { module: plain, options: undefined };

describe('a log without numbers', () => {
  test('a log without numbers has neither producers nor conditional appends in the type of its client', () => {
    expectTypeOf(() => openLog(ref)).returns.resolves.toEqualTypeOf<LogClient>();
    expectTypeOf<LogClient>().not.toHaveProperty('producer');
    expectTypeOf<NonNullable<Parameters<LogClient['append']>[2]>>().not.toHaveProperty('expectedEnd');
    expectTypeOf(() => openLog(lmdb('.'))).returns.resolves.toEqualTypeOf<NumberedClient>();
    expectTypeOf(() => makeClient(memoryLog())).returns.toEqualTypeOf<NumberedClient>();
  });
  test('a log without numbers refuses a producer, and names the ways out', async () => {
    await using log = (await openLog(ref)) as NumberedClient;
    await expect(log.producer('api')).rejects.toMatchObject({
      code: 'STOPLOG_USAGE',
      facts: { capability: 'producers' },
      message: expect.stringMatching(/log\.append.*lmdb\('\.\/data'\)/),
    });
  });
  test('a log without numbers refuses a conditional append before it creates the topic', async () => {
    await using log = (await openLog(ref)) as NumberedClient;
    await expect(log.append(letters, [{ key: 'k', value: 'v' }], { expectedEnd: 0n })).rejects.toMatchObject({
      code: 'STOPLOG_USAGE',
      facts: { capability: 'condition' },
    });
    const { made } = (await import(plain)) as { readonly made: readonly string[] };
    expect(made).toEqual([]);
    expect(await log.append(letters, [{ key: 'k', value: 'v' }])).toEqual({ records: 1 });
  });
});

describe('a log without tools', () => {
  test('a log without tools opens with two functions, and refuses each tool by its name', async () => {
    const module = (await import(plain)) as LogModule;
    expect(Object.keys(module).filter((name) => typeof module[name as keyof LogModule] === 'function')).toEqual(['open', 'share']);
    const tools = await loadTools(ref);
    for (const [name, tool] of Object.entries(tools)) {
      await expect((tool as () => Promise<never>)()).rejects.toMatchObject({ code: 'STOPLOG_USAGE', facts: { tool: name, module: plain } });
    }
    expect(Object.keys(tools)).toHaveLength(14);
  });
  test('a log has the tools that its module exports, and lacks the others', async () => {
    const tools = await loadTools({ module: new URL('./fixtures/topics-tool.mjs', import.meta.url).href, options: undefined });
    expect(await tools.topics(memoryLog())).toEqual([]);
    await expect(tools.backup(memoryLog(), './backup')).rejects.toMatchObject({ code: 'STOPLOG_USAGE', facts: { tool: 'backup' } });
  });
});
