/**
 * Starts the writer of a data folder, once per process, and shares it among all who open the folder here.
 *
 * The last to close asks it to end. A process that ends without closing is no harm: the gate keeps the exit from falling
 * into a transaction, and what was not acknowledged was not promised.
 */
import { MessageChannel, Worker } from 'node:worker_threads';
import { errorFromData, StoplogError } from '../../pure/errors.ts';
import type { HostAnswer, HostMessage, Line } from './host-messages.ts';
import type { EnvOptions } from '../tables/env.ts';
import { createFolder, examineFolder } from '../folder/folder.ts';
import { describeIo } from '../folder/io-errors.ts';
import { bar, makeGate } from '../transaction/gate.ts';
import { verifyFile } from '../doctor/verify.ts';
import { makeClaims, makeRoom } from './room.ts';
import type { WriterData } from './writer.ts';

/** How long an exiting process waits for the writer to leave its transaction. */
const EXIT_MS = 10_000;

export interface Host {
  readonly path: string;
  /** A new line to the writer. */
  readonly connect: () => Line;
  readonly release: () => Promise<void>;
}

interface Shared {
  readonly started: Promise<Worker>;
  /** Resolves when the thread is no more, for whatever reason. */
  readonly ended: Promise<void>;
  /** Of the writer's queue, for all threads of this process. */
  readonly room: SharedArrayBuffer;
  users: number;
}
const hosts = new Map<string, Shared>();

/** Whether this process has the folder open. */
export const isOpenHere = (path: string): boolean => hosts.has(path);

/** `verify`: whether the pages of the data file are walked first; undefined: where that is quick. Once, by the first to open it here. */
export const openHost = async (options: EnvOptions, verify?: boolean): Promise<Host> => {
  const state = examineFolder(options.path);
  const path = createFolder(options.path);
  let shared = hosts.get(path);
  if (shared === undefined) {
    // It loads while the file is looked at, and opens it when that is done.
    const writer = startWriter({ ...options, path });
    try {
      if (state === 'ours') verifyFile(path, verify);
    } catch (error) {
      writer.tell({ type: 'close' });
      throw error;
    }
    writer.tell({ type: 'open' });
    shared = { ...writer, room: makeRoom(), users: 0 };
    hosts.set(path, shared);
  }
  const mine = shared;
  const forget = (): void => {
    if (hosts.get(path) === mine) hosts.delete(path);
  };
  void mine.ended.then(forget);
  mine.users++;
  let worker: Worker;
  try {
    worker = await mine.started;
  } catch (error) {
    forget();
    throw error;
  }
  let released = false;
  return {
    path,
    connect: () => {
      const { port1, port2 } = new MessageChannel();
      const [room, claims] = [mine.room, makeClaims()];
      worker.postMessage({ type: 'link', line: { port: port2, room, claims } } satisfies HostMessage, [port2]);
      return { port: port1, room, claims };
    },
    release: async () => {
      if (released) return;
      released = true;
      if (--mine.users > 0) return;
      forget();
      worker.ref();
      worker.postMessage({ type: 'close' } satisfies HostMessage);
      await mine.ended;
    },
  };
};

/** Of the writers that run. One listener for all: of each its own, Node would warn at the eleventh. */
const gates = new Set<Int32Array>();
const barAll = (): void => {
  for (const gate of gates) bar(gate, EXIT_MS);
};
const barAtExit = (gate: Int32Array): void => {
  if (gates.size === 0) process.on('exit', barAll);
  gates.add(gate);
};
const letGo = (gate: Int32Array): void => {
  gates.delete(gate);
  if (gates.size === 0) process.off('exit', barAll);
};

const startWriter = (env: EnvOptions): Pick<Shared, 'started' | 'ended'> & { readonly tell: (message: HostMessage) => void } => {
  const gate = makeGate();
  const atExit = new Int32Array(gate);
  barAtExit(atExit);
  const worker = new Worker(new URL('./writer.js', import.meta.url), {
    workerData: { env, gate } satisfies WriterData,
    name: 'stoplog-writer',
    // The writer is ours alone: flags meant for user code (loaders, inspectors) are not for it.
    execArgv: [],
  });
  const ended = new Promise<void>((resolve) => {
    worker.once('exit', () => {
      letGo(atExit);
      resolve();
    });
  });
  const started = new Promise<Worker>((resolve, reject) => {
    worker.on('message', (answer: HostAnswer) => {
      if (answer.type === 'failed') return reject(errorFromData(answer.error));
      if (answer.type === 'warned') return process.emitWarning(answer.text, { type: 'StoplogWarning', code: answer.code });
      if (answer.type === 'closed') return;
      worker.unref();
      resolve(worker);
    });
    // Not once: a writer that dies later takes its links along, and whoever holds one is told there.
    worker.on('error', (error) => reject(describeIo(env.path, error)));
    void ended.then(() =>
      reject(new StoplogError('STOPLOG_LOG_UNAVAILABLE', { path: env.path }, `the writer of ${env.path} ended before it began: look above for why`)),
    );
  });
  // Nobody waits for one that was not to open anything.
  started.catch(() => {});
  return { started, ended, tell: (message) => worker.postMessage(message) };
};
