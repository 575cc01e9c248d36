/**
 * The floor of a rebuild: a thread for each partition reads its batches, parses their values, folds them in a Map, and sends the changed
 * sums and its position to a writer thread, as one commit; two commits may be in flight.
 */
import { once } from 'node:events';
import { isMainThread, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { HandCursor, verify } from './floors/hand-batch.ts';
import { logKey, openHandEnv, peek, stateKey } from './floors/hand-env.ts';
import { sealed } from './floors/hand-records.ts';
import { packEntries, startHandWriter, type Entry } from './floors/hand-writer.ts';
import { PARTITIONS } from './rebuild.pipeline.ts';

const COMMIT_RECORDS = 50_000;
const CREDITS = 2;

interface Work {
  readonly folder: string;
  readonly partition: number;
  readonly port: MessagePort;
}
interface Sum {
  readonly key: Buffer;
  flights: number;
  minutes: number;
  dirty: boolean;
}

/** Folds every record, with a thread for each partition, until the last commit is durable. */
export const foldAll = async (folder: string): Promise<void> => {
  const writer = await startHandWriter(folder);
  await Promise.all(
    Array.from({ length: PARTITIONS }, async (_, partition) => {
      const port = await writer.link();
      const worker = new Worker(new URL('./rebuild.floor.js', import.meta.url), {
        workerData: { folder, partition, port } satisfies Work,
        transferList: [port],
      });
      await Promise.race([once(worker, 'exit'), once(worker, 'error').then(([error]: unknown[]) => Promise.reject(error as Error))]);
    }),
  );
  await writer.close();
};

/** The number of flights in all sums. */
export const flightsOf = async (folder: string): Promise<number> => {
  const env = openHandEnv(folder, true);
  let sum = 0;
  for (const { key, value } of env.state.getRange()) if (key.length > 2) sum += (JSON.parse(value.subarray(0, -4).toString()) as Sum).flights;
  await env.close();
  return sum;
};

const work = async ({ folder, partition, port }: Work): Promise<void> => {
  const env = openHandEnv(folder, true);
  const sums = new Map<string, Sum>();
  let changed: Sum[] = [];
  let position = 0;
  let folded = 0;
  let underWay = 0;
  port.on('message', () => underWay--);
  const commit = async (): Promise<void> => {
    while (underWay >= CREDITS) await once(port, 'message');
    const entries: Entry[] = changed.map((sum) => {
      sum.dirty = false;
      return { table: 1, key: sum.key, value: sealed(sum.key, JSON.stringify({ flights: sum.flights, minutes: sum.minutes })) };
    });
    const positionKey = stateKey(partition, new Uint8Array(0));
    entries.push({ table: 1, key: positionKey, value: sealed(positionKey, String(position)) });
    changed = [];
    folded = 0;
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
      const { delay } = JSON.parse(bytes.toString('utf8', cursor.valueStart, cursor.valueEnd)) as { readonly delay: number };
      let sum = sums.get(name);
      if (sum === undefined) sums.set(name, (sum = { key: stateKey(partition, Buffer.from(name)), flights: 0, minutes: 0, dirty: false }));
      sum.flights++;
      sum.minutes += delay;
      if (sum.dirty) continue;
      sum.dirty = true;
      changed.push(sum);
    }
    position += records;
    folded += records;
    if (folded >= COMMIT_RECORDS) await commit();
  }
  await commit();
  while (underWay > 0) await once(port, 'message');
  port.close();
  parentPort?.close();
  await env.close();
};

const data = workerData as Partial<Work> | null;
if (!isMainThread && data?.partition !== undefined) await work(data as Work);
