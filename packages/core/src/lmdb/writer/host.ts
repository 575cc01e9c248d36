/**
 * Starts the writer of a data folder, once per process, and shares it among all logs that open the folder here.
 *
 * The last log to close asks the writer to end. A process may end without closing: the gate keeps the exit out of
 * a transaction, and unacknowledged commits were not promised.
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
  /** Resolves when the thread has ended, for any reason. */
  readonly ended: Promise<void>;
  /** The room in the writer's queue, for all threads of this process. */
  readonly room: SharedArrayBuffer;
  users: number;
}
const hosts = new Map<string, Shared>();

/** True when this process has the folder open. */
export const isOpenHere = (path: string): boolean => hosts.has(path);

/** `verify`: whether the pages of the data file are walked first; undefined: where that is quick. Only the first opening here verifies. */
export const openHost = async (options: EnvOptions, verify?: boolean): Promise<Host> => {
  const state = examineFolder(options.path, options.groupMayWrite);
  const path = createFolder(options.path, options.groupMayWrite);
  let shared = hosts.get(path);
  if (shared === undefined) {
    // The writer loads while the file is verified, and opens the file after that.
    const writer = startWriter({ ...options, path });
    try {
      if (state === 'ours') verifyFile(path, verify);
    } catch (error) {
      writer.send({ type: 'close' });
      throw error;
    }
    writer.send({ type: 'open' });
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

/** The gates of the running writers, with one listener for all: Node would warn at the eleventh. */
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

const startWriter = (env: EnvOptions): Pick<Shared, 'started' | 'ended'> & { readonly send: (message: HostMessage) => void } => {
  const gate = makeGate();
  const atExit = new Int32Array(gate);
  barAtExit(atExit);
  const worker = new Worker(new URL('./writer.js', import.meta.url), {
    workerData: { env, gate } satisfies WriterData,
    name: 'stoplog-writer',
    // The writer runs no user code: flags meant for user code (loaders, inspectors) do not apply to it.
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
    // `on`, not `once`: a writer that dies later closes its links, and their holders report that.
    worker.on('error', (error) => reject(describeIo(env.path, error)));
    void ended.then(() =>
      reject(
        new StoplogError('STOPLOG_LOG_UNAVAILABLE', { path: env.path }, `the writer of ${env.path} ended before it began: the error above has the reason`),
      ),
    );
  });
  // A writer that was told not to open has no caller that awaits it.
  started.catch(() => {});
  return { started, ended, send: (message) => worker.postMessage(message) };
};
