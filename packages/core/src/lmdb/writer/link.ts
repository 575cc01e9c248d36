/**
 * A log's line to the writer of its process: requests with a number, each answered once.
 *
 * The port keeps the thread alive only while an answer is due, so a program that has nothing left to wait for ends by
 * itself. When the writer is gone every request is refused, including the ones under way.
 */
import type { MessagePort } from 'node:worker_threads';
import type { QueueLoad } from '../../port/log.ts';
import { errorFromData, StoplogError } from '../../pure/errors.ts';
import { onAbort } from '../../pure/on-abort.ts';
import type { WriterAnswer, WriterCall, WriterRequest } from '../layout/writer-messages.ts';
import type { Line } from './host-messages.ts';
import { Room } from './room.ts';

/** The type of the answer to each call. */
interface Answers {
  readonly room: 'done';
  readonly commit: 'committed';
  readonly ensure: 'done';
  readonly 'open-store': 'opened';
  readonly 'open-group': 'group';
  readonly 'open-producer': 'producer';
  readonly join: 'done';
  readonly release: 'done';
  readonly leave: 'done';
  readonly 'set-positions': 'done';
  readonly 'delete-group': 'done';
  readonly 'delete-topic': 'done';
  readonly 'adopt-rebuild': 'adopted';
  readonly sweep: 'swept';
  readonly 'delete-records': 'starts';
  readonly clean: 'cleaned';
  readonly reports: 'reports';
  readonly wait: 'done';
  readonly 'wait-group': 'done';
}
type AnswerTo<T extends WriterCall['type']> = Extract<WriterAnswer, { readonly type: Answers[T] }>;

interface Due {
  readonly resolve: (answer: WriterAnswer) => void;
  readonly reject: (error: Error) => void;
}

export class WriterLink {
  readonly #port: MessagePort;
  readonly #committed: (commit: number) => void;
  readonly #due = new Map<number, Due>();
  readonly #room: Room;
  /** Commits that wait for room. */
  #waiting = 0;
  #next = 1;
  #closed = false;

  /** `committed` is called with the commit that an answer is of, before the answer is given. */
  constructor({ port, room, claims }: Line, committed: (commit: number) => void = () => {}) {
    this.#port = port;
    this.#committed = committed;
    this.#room = new Room(room, claims);
    port.on('message', (answer: WriterAnswer) => this.#settle(answer));
    port.on('close', () => this.#end());
    port.unref();
  }

  call<C extends WriterCall>(call: C, transfer: readonly ArrayBuffer[] = []): Promise<AnswerTo<C['type']>> {
    return this.#send(call, transfer).answer;
  }

  /** How full the writer's queue is, for the whole process. */
  get load(): QueueLoad {
    return this.#room.load;
  }
  /** Sends a commit of `size` bytes when the writer has room for it, in the order of these calls. */
  async commit(size: number, incarnation: string | undefined, encode: () => ArrayBuffer): Promise<AnswerTo<'commit'>> {
    if (this.#waiting === 0 && !this.#closed && this.#room.claim(size)) return this.#commit(size, incarnation, encode);
    this.#waiting++;
    try {
      await this.call({ type: 'room', bytes: size });
    } finally {
      this.#waiting--;
    }
    return this.#commit(size, incarnation, encode);
  }
  #commit(size: number, incarnation: string | undefined, encode: () => ArrayBuffer): Promise<AnswerTo<'commit'>> {
    let bytes: ArrayBuffer;
    try {
      bytes = encode();
    } catch (error) {
      if (!this.#closed) this.#port.postMessage({ type: 'spare', bytes: size } satisfies WriterRequest);
      throw error;
    }
    return this.call({ type: 'commit', bytes, incarnation }, [bytes]);
  }

  /** Resolves when the wait is over, after `ms`, or when the signal is aborted. */
  async wait(call: WriterCall & { readonly type: 'wait' | 'wait-group' }, ms: number, signal: AbortSignal): Promise<void> {
    if (signal.aborted) return;
    const { id, answer } = this.#send(call, []);
    let stop = (): void => {};
    const stopped = new Promise<void>((resolve) => {
      stop = resolve;
    });
    const timer = Number.isFinite(ms) ? setTimeout(stop, ms) : undefined;
    const unlisten = onAbort(signal, stop);
    try {
      await Promise.race([answer, stopped]);
    } finally {
      clearTimeout(timer);
      unlisten();
      if (this.#due.delete(id)) {
        // The wait is over: here, and in the writer.
        answer.catch(() => {});
        this.#rest();
        if (!this.#closed) this.#port.postMessage({ type: 'forget', id } satisfies WriterRequest);
      }
    }
  }

  close(): void {
    if (this.#closed) return;
    this.#port.close();
    this.#end();
  }

  #send<C extends WriterCall>(call: C, transfer: readonly ArrayBuffer[]): { readonly id: number; readonly answer: Promise<AnswerTo<C['type']>> } {
    const id = this.#next++;
    if (this.#closed) return { id, answer: Promise.reject(gone()) };
    const answer = new Promise<WriterAnswer>((resolve, reject) => {
      this.#due.set(id, { resolve, reject });
    });
    if (this.#due.size === 1) this.#port.ref();
    this.#port.postMessage({ ...call, id }, transfer);
    return { id, answer: answer as Promise<AnswerTo<C['type']>> };
  }
  #settle(answer: WriterAnswer): void {
    const due = this.#due.get(answer.id);
    if (due === undefined) return;
    this.#due.delete(answer.id);
    this.#rest();
    if (answer.commit !== undefined) this.#committed(answer.commit);
    if (answer.type === 'failed') due.reject(errorFromData(answer.error));
    else due.resolve(answer);
  }
  #rest(): void {
    if (this.#due.size === 0) this.#port.unref();
  }
  #end(): void {
    this.#closed = true;
    const due = [...this.#due.values()];
    this.#due.clear();
    for (const { reject } of due) reject(gone());
  }
}

const gone = (): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    {},
    'the log is closed, or its writer has ended: open it again. Acknowledged commits are kept; commits under way may be kept or not',
  );
