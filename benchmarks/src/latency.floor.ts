/**
 * The floor of latency: a record is a commit of its own; a thread woken by it reads it, and commits its answer together with
 * its position, which wakes the reader of answers. Four messages between threads and two flushes.
 */
import { isMainThread, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { HandBatch, HandCursor, verify } from './floors/hand-batch.ts';
import { logKey, openHandEnv, peek, stateKey } from './floors/hand-env.ts';
import { packEntries, startHandWriter } from './floors/hand-writer.ts';

const REQUESTS = 0;
const ANSWERS = 1;

interface Work {
  readonly folder: string;
  readonly answering: MessagePort;
}

export interface FloorLatency {
  readonly send: (id: number) => void;
  readonly close: () => Promise<void>;
}
/** `seen` is called with the id of each answer as soon as it can be read. */
export const openFloorLatency = async (folder: string, seen: (id: number) => void): Promise<FloorLatency> => {
  const writer = await startHandWriter(folder);
  const port = await writer.link();
  const answering = await writer.link();
  const worker = new Worker(new URL('./latency.floor.js', import.meta.url), { workerData: { folder, answering } satisfies Work, transferList: [answering] });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  const env = openHandEnv(folder, true);
  const batch = new HandBatch();
  let sent = 0;
  let read = 0;
  port.on('message', (message: 'grown' | null) => {
    if (message === null) return;
    env.refresh();
    for (let records = 0; (records = readBatch(peek(env.log, logKey(ANSWERS, read)), (value) => seen(-value.id))) > 0;) read += records;
  });
  port.postMessage('watch');
  return {
    send: (id) => {
      batch.addText('"k"', JSON.stringify({ id }), Date.now());
      const commit = packEntries([{ table: 0, key: logKey(REQUESTS, sent++), value: batch.finish() }]);
      port.postMessage(commit, [commit]);
    },
    close: async () => {
      port.close();
      await worker.terminate();
      await env.close();
      await writer.close();
    },
  };
};

/** Calls `each` with the values of a batch, and returns their number. */
const readBatch = (found: Buffer | undefined, each: (value: { readonly id: number }) => void): number => {
  if (found === undefined) return 0;
  const bytes = Buffer.from(found);
  verify(bytes);
  const cursor = new HandCursor(bytes);
  let records = 0;
  while (cursor.next()) {
    records++;
    each(JSON.parse(bytes.toString('utf8', cursor.valueStart, cursor.valueEnd)) as { readonly id: number });
  }
  return records;
};

const work = ({ folder, answering }: Work): void => {
  const env = openHandEnv(folder, true);
  const batch = new HandBatch();
  const positionKey = stateKey(0, new Uint8Array(0));
  let position = 0;
  let answered = 0;
  answering.on('message', (message: 'grown' | null) => {
    if (message === null) return;
    env.refresh();
    const before = position;
    const answer = (value: { readonly id: number }): void => batch.addText('"k"', JSON.stringify({ id: -value.id }), Date.now());
    for (let records = 0; (records = readBatch(peek(env.log, logKey(REQUESTS, position)), answer)) > 0;) position += records;
    if (position === before) return;
    const { count } = batch;
    const commit = packEntries([
      { table: 0, key: logKey(ANSWERS, answered), value: batch.finish() },
      { table: 1, key: positionKey, value: Buffer.from(String(position)) },
    ]);
    answered += count;
    answering.postMessage(commit, [commit]);
  });
  answering.postMessage('watch');
  parentPort?.postMessage('ready');
};

const data = workerData as Partial<Work> | null;
if (!isMainThread && data?.answering !== undefined) work(data as Work);
