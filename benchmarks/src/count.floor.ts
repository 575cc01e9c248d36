/**
 * The floor of count: a thread for each partition reads its batches, counts in a Map, and sends the changed counts, a batch
 * of them for the output, and its position to a writer thread, as one commit; two commits may be in flight. After each commit
 * the counts are stored in the B-tree, where any reader can look them up, and every written value has its checksum.
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { PARTITIONS } from './count.pipeline.ts';
import { HandBatch, HandCursor, verify } from './floors/hand-batch.ts';
import { logKey, openHandEnv, peek, stateKey } from './floors/hand-env.ts';
import { sealed } from './floors/hand-records.ts';
import { packEntries, startHandWriter, type Entry } from './floors/hand-writer.ts';

const COMMIT_RECORDS = 50_000;
const CREDITS = 2;
/** Outputs are stored next to the inputs, as partitions of their own. */
const OUTPUT = 1_000;

interface Work {
  readonly folder: string;
  readonly partition: number;
  readonly port: MessagePort;
}

/** Counts every record, with a thread for each partition, until the last commit is durable. */
export const countAll = async (folder: string): Promise<void> => {
  const writer = await startHandWriter(folder);
  await Promise.all(
    Array.from({ length: PARTITIONS }, async (_, partition) => {
      const port = await writer.link();
      const worker = new Worker(new URL('./count.floor.js', import.meta.url), { workerData: { folder, partition, port } satisfies Work, transferList: [port] });
      await Promise.race([once(worker, 'exit'), once(worker, 'error').then(([error]: unknown[]) => Promise.reject(error as Error))]);
    }),
  );
  await writer.close();
};

/** The sum of all counts. */
export const sumOfCounts = async (folder: string): Promise<number> => {
  const env = openHandEnv(folder, true);
  let sum = 0;
  for (const { key, value } of env.state.getRange()) if (key.length > 2) sum += Number(value.subarray(0, -4).toString());
  await env.close();
  return sum;
};

const work = async ({ folder, partition, port }: Work): Promise<void> => {
  const env = openHandEnv(folder, true);
  const counts = new Map<string, { readonly key: Buffer; count: number; dirty: boolean }>();
  const output = new HandBatch();
  let changed: string[] = [];
  let position = 0;
  let counted = 0;
  let underWay = 0;
  let outputOffset = 0;
  port.on('message', () => underWay--);

  const commit = async (): Promise<void> => {
    while (underWay >= CREDITS) await once(port, 'message');
    const entries: Entry[] = [];
    const flushOutput = (): void => {
      const { count } = output;
      if (count > 0) entries.push({ table: 0, key: logKey(OUTPUT + partition, outputOffset), value: output.finish() });
      outputOffset += count;
    };
    const now = Date.now();
    for (const name of changed) {
      const entry = counts.get(name)!;
      entry.dirty = false;
      const text = String(entry.count);
      entries.push({ table: 1, key: entry.key, value: sealed(entry.key, text) });
      output.addText(`"${name}"`, text, now);
      if (output.full) flushOutput();
    }
    flushOutput();
    const positionKey = stateKey(partition, new Uint8Array(0));
    entries.push({ table: 1, key: positionKey, value: sealed(positionKey, String(position)) });
    changed = [];
    counted = 0;
    underWay++;
    const bytes = packEntries(entries);
    port.postMessage(bytes, [bytes]);
  };

  for (;;) {
    const found = peek(env.log, logKey(partition, position));
    if (found === undefined) break;
    const bytes = Buffer.allocUnsafeSlow(found.length);
    bytes.set(found);
    verify(bytes);
    const cursor = new HandCursor(bytes);
    let records = 0;
    while (cursor.next()) {
      records++;
      const name = bytes.toString('latin1', cursor.keyStart + 1, cursor.keyEnd - 1);
      let entry = counts.get(name);
      if (entry === undefined) {
        const key = stateKey(partition, Buffer.from(name));
        const stored = peek(env.state, key);
        counts.set(name, (entry = { key, count: stored === undefined ? 0 : Number(stored.subarray(0, -4).toString()), dirty: false }));
      }
      entry.count++;
      if (entry.dirty) continue;
      entry.dirty = true;
      changed.push(name);
    }
    position += records;
    counted += records;
    if (counted >= COMMIT_RECORDS) await commit();
  }
  await commit();
  while (underWay > 0) await once(port, 'message');
  port.close();
  parentPort?.close();
  await env.close();
};

const data = workerData as Partial<Work> | null;
if (!isMainThread && data?.partition !== undefined) await work(data as Work);
