/**
 * The logs of this process that call its writer, each over a port of its own: its calls go into the queue, its waits to
 * the waits. When a port closes, its waits and its members are removed.
 */
import type { MessagePort } from 'node:worker_threads';
import { errorToData } from '../../pure/errors.ts';
import type { WriterRequest } from '../layout/writer-messages.ts';
import { prepare, type TransactedCall } from './calls.ts';
import type { Cleanups } from '../tables/cleanups.ts';
import type { Env } from '../tables/env.ts';
import { describeIo } from '../folder/io-errors.ts';
import type { Line } from './host-messages.ts';
import type { Presence } from './presence.ts';
import type { CallQueue, Outcome } from './queue.ts';
import { RoomLine } from './room-line.ts';
import { claimOf, Room } from './room.ts';
import type { Upkeep } from './upkeep.ts';
import type { Waiting } from './waiting.ts';

export interface Writing {
  readonly env: Env;
  readonly cleanups: Cleanups;
  readonly queue: CallQueue;
  readonly waiting: Waiting;
  readonly presence: Presence;
  readonly upkeep: Upkeep;
}

export class Callers {
  readonly #parts: Writing;
  readonly #open = new Set<Caller>();
  readonly #line = new RoomLine();

  constructor(parts: Writing) {
    this.#parts = parts;
  }
  add(line: Line): void {
    const caller = new Caller(line, this.#line, this.#parts, () => this.#open.delete(caller));
    this.#open.add(caller);
  }
  /** Closes all links: an open one would keep this thread alive. */
  close(): void {
    for (const { port } of this.#open) port.close();
  }
}

class Caller {
  readonly port: MessagePort;
  readonly #parts: Writing;
  /** Removes each of its waits, by the number of the request. */
  readonly #forget = new Map<number, () => void>();
  /** The members that joined over this port, and their groups. */
  readonly #members = new Map<string, number>();
  readonly #line: RoomLine;
  readonly #room: Room;
  /** The room of its commits in the queue. */
  #queued = 0;
  #isGone = false;

  constructor({ port, room, claims }: Line, line: RoomLine, parts: Writing, gone: () => void) {
    this.port = port;
    this.#line = line;
    this.#room = new Room(room, claims);
    this.#parts = parts;
    port.on('message', (request: WriterRequest) => this.#take(request));
    port.on('close', () => {
      this.#isGone = true;
      gone();
      for (const undo of this.#forget.values()) undo();
      this.#forget.clear();
      this.#line.leave(this.#room, this.#queued);
      for (const [instance, groupId] of this.#members) parts.presence.leave(groupId, instance);
    });
  }

  #take(request: WriterRequest): void {
    const { env, cleanups, queue, waiting, upkeep } = this.#parts;
    if (request.type === 'spare') return this.#line.give(this.#room, request.bytes);
    const { id } = request;
    const answer = (outcome: Outcome): void => this.port.postMessage({ ...outcome, id });
    switch (request.type) {
      case 'forget':
        this.#forget.get(id)?.();
        this.#forget.delete(id);
        return;
      case 'wait':
      case 'wait-group': {
        const forget = waiting.add(request, (outcome) => {
          this.#forget.delete(id);
          answer(outcome);
        });
        if (forget !== undefined) this.#forget.set(id, forget);
        return;
      }
      case 'room': {
        const forget = this.#line.ask(this.#room, request.bytes, () => {
          this.#forget.delete(id);
          answer({ type: 'done' });
        });
        this.#forget.set(id, forget);
        return;
      }
      case 'reports':
        return answer({ type: 'reports', unsaved: upkeep.unsaved });
      case 'clean':
        upkeep.clean(request.options).then(
          (cleaned) => answer({ type: 'cleaned', cleaned }),
          (error: unknown) => answer({ type: 'failed', error: errorToData(describeIo(env.path, error)) }),
        );
        return;
      case 'commit': {
        const claim = claimOf(request.bytes.byteLength);
        this.#queued += claim;
        queue.add({
          bytes: request.bytes.byteLength,
          incarnation: request.incarnation,
          apply: prepare(env, request, cleanups, queue.refused),
          answer: (outcome) => {
            answer(outcome);
            this.#queued -= claim;
            this.#line.give(this.#room, claim);
          },
        });
        return;
      }
      default:
        queue.add({
          bytes: 0,
          incarnation: undefined,
          apply: prepare(env, request, cleanups, queue.refused),
          answer: (outcome) => {
            answer(outcome);
            this.#follow(request, outcome);
          },
        });
    }
  }

  /** Does the work that follows an answered call. */
  #follow(call: TransactedCall, outcome: Outcome): void {
    const { cleanups, waiting, presence, upkeep } = this.#parts;
    if (call.type === 'delete-records') upkeep.startsMoved(call.before);
    if (call.type === 'adopt-rebuild') cleanups.refresh();
    if (call.type === 'ensure') cleanups.learn(call.topics.map(({ name }) => name));
    if (call.type === 'join' && outcome.type === 'done') {
      this.#members.set(call.instance, call.groupId);
      presence.enter(call.groupId, call.instance, call.sessionMs);
      if (this.#isGone) presence.leave(call.groupId, call.instance);
    } else if (call.type === 'leave') {
      this.#members.delete(call.instance);
      presence.left(call.groupId, call.instance);
    }
    if (call.type === 'join' || call.type === 'leave' || call.type === 'release') waiting.groupChanged(call.groupId);
  }
}
