/**
 * Reads topics while other processes die, and writes down every record it got.
 *
 *   reader.child.js FOLDER HISTORY NAME TOPIC…
 *
 * Prints reading. On any standard input it reads on to the end as it is then, and ends.
 */
import type { Log } from '@stoplog/core/port';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { witness } from '../history/witness.ts';
import { loadTools } from '@stoplog/core/tools';

const [folder, history, name, ...topics] = process.argv.slice(2) as [string, string, string, ...string[]];
const write = witness(history);
const stop = new AbortController();
process.stdin.once('data', () => stop.abort());
// The parent process is dead: this one would never be asked to end.
process.stdin.once('end', () => process.exit(1));
const never = new AbortController().signal;

const shapes = new Map<string, number>();
const readOn = async (log: Log, topic: string, partition: number): Promise<void> => {
  let offset = 0n;
  for (let isLast = false; ;) {
    isLast = stop.signal.aborted;
    const found = await log.fetch({ topic, partition, offset }, { bytes: 64 * 1024, waitMs: isLast ? 0 : Infinity }, isLast ? never : stop.signal);
    const records: [number, string][] = [];
    for (const view of found.batches) {
      while (view.next()) if (view.offset >= offset) records.push([Number(view.offset), Buffer.from(view.value()!).toString()]);
    }
    if (records.length > 0) write({ type: 'ok', op: 'poll', process: name, topic, partition, from: Number(offset), records });
    if (isLast && found.next === offset) return;
    offset = found.next;
    // Records in memory arrive without a turn of the event loop.
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const log = await openPort(lmdb(folder));
const tools = await loadTools(lmdb(folder));
for (const { name: topic, partitions } of await tools.topics(log)) shapes.set(topic, partitions);
console.log('reading');
await Promise.all(
  topics.map(async (topic) => {
    await Promise.all(Array.from({ length: shapes.get(topic)! }, (_, partition) => readOn(log, topic, partition)));
    write({ type: 'ok', op: 'drained', process: name, topic });
  }),
);
await log[Symbol.asyncDispose]();
// The standard input of a thread, unlike that of a process, keeps it alive even when it is destroyed.
process.exit();
