/**
 * The writer thread of the floors: takes all pending commits into one transaction, flushes once, answers all.
 *
 * A commit is one buffer of entries, ready to be put: u8 table (0 log, 1 state), u16 key size, u32 value size, key, value. It
 * is answered with null. A port that has sent 'watch' gets 'grown' after every commit.
 */
import { MessageChannel, parentPort, Worker, workerData, type MessagePort } from 'node:worker_threads';
import { openHandEnv, type HandEnv } from './hand-env.ts';

/** Messages to the writer from the main thread. */
type HandMessage = { readonly type: 'link'; readonly port: MessagePort } | { readonly type: 'close' };

const SHARE_BYTES = 4 * 1024 * 1024;
const ENTRY_HEAD = 7;

export interface Entry {
  readonly table: 0 | 1;
  readonly key: Uint8Array;
  readonly value: Uint8Array;
}
export const packEntries = (entries: readonly Entry[]): ArrayBuffer => {
  let size = 0;
  for (const { key, value } of entries) size += ENTRY_HEAD + key.length + value.length;
  const bytes = Buffer.allocUnsafeSlow(size);
  let at = 0;
  for (const { table, key, value } of entries) {
    bytes[at] = table;
    bytes.writeUInt16LE(key.length, at + 1);
    bytes.writeUInt32LE(value.length, at + 3);
    bytes.set(key, at + ENTRY_HEAD);
    bytes.set(value, at + ENTRY_HEAD + key.length);
    at += ENTRY_HEAD + key.length + value.length;
  }
  return bytes.buffer;
};

export interface HandWriter {
  readonly link: () => Promise<MessagePort>;
  readonly close: () => Promise<void>;
}

export const startHandWriter = async (path: string): Promise<HandWriter> => {
  const worker = new Worker(new URL('./hand-writer.js', import.meta.url), { workerData: { handWriter: path } });
  await new Promise((resolve, reject) => worker.once('message', resolve).once('error', reject));
  return {
    link: async () => {
      const { port1, port2 } = new MessageChannel();
      worker.postMessage({ type: 'link', port: port2 } satisfies HandMessage, [port2]);
      return port1;
    },
    close: async () => {
      worker.postMessage({ type: 'close' } satisfies HandMessage);
      await new Promise((resolve) => worker.once('exit', resolve));
    },
  };
};

const serve = (env: HandEnv, main: MessagePort): void => {
  const queue: { readonly bytes: ArrayBuffer; readonly port: MessagePort }[] = [];
  const watchers: MessagePort[] = [];
  let turn: NodeJS.Immediate | undefined;
  const run = (): void => {
    turn = undefined;
    let size = 0;
    let share = 0;
    while (share < queue.length && (share === 0 || size + queue[share]!.bytes.byteLength <= SHARE_BYTES)) size += queue[share++]!.bytes.byteLength;
    const taken = queue.splice(0, share);
    env.transaction(() => {
      for (const { bytes } of taken) putAll(env, Buffer.from(bytes));
    });
    for (const { port } of taken) port.postMessage(null);
    for (const watcher of watchers) watcher.postMessage('grown');
    if (queue.length > 0) turn = setImmediate(run);
  };
  main.on('message', (message: HandMessage) => {
    if (message.type === 'close') void env.close().then(() => process.exit());
    else {
      const { port } = message;
      port.on('message', (bytes: ArrayBuffer | 'watch') => {
        if (bytes === 'watch') return void watchers.push(port);
        queue.push({ bytes, port });
        turn ??= setImmediate(run);
      });
    }
  });
  main.postMessage('ready');
};

const putAll = (env: HandEnv, bytes: Buffer): void => {
  let at = 0;
  while (at < bytes.length) {
    const keyEnd = at + ENTRY_HEAD + bytes.readUInt16LE(at + 1);
    const end = keyEnd + bytes.readUInt32LE(at + 3);
    (bytes[at] === 0 ? env.log : env.state).putSync(bytes.subarray(at + ENTRY_HEAD, keyEnd), bytes.subarray(keyEnd, end));
    at = end;
  }
};

const data = workerData as { readonly handWriter?: string } | null;
if (data?.handWriter !== undefined && parentPort !== null) serve(openHandEnv(data.handWriter, false), parentPort);
