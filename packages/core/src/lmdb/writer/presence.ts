/** The members of this process in their groups: their heartbeats, and the removal of dead members, are calls like any other. */
import { done } from './calls.ts';
import type { Env } from '../tables/env.ts';
import { applyBeat, applyGroupEvent } from '../transaction/groups.ts';
import type { CallQueue } from './queue.ts';
import { Sessions } from './sessions.ts';

export class Presence {
  readonly #env: Env;
  readonly #queue: CallQueue;
  readonly #changed: (groupId: number) => void;
  readonly #sessions: Sessions;

  /** `changed` is called when a group has lost a member. */
  constructor(env: Env, queue: CallQueue, changed: (groupId: number) => void) {
    this.#env = env;
    this.#queue = queue;
    this.#changed = changed;
    this.#sessions = new Sessions(env, {
      beat: (groupId, id, isMember) => {
        let still = true;
        queue.addOwn(
          done(() => {
            still = applyBeat(env, groupId, id, Date.now());
          }),
          () => isMember(still),
        );
      },
      expire: (groupId, { id, beat, why }) =>
        queue.addOwn(
          done(() => applyGroupEvent(env, groupId, { type: 'expire', id, beat, why })),
          () => changed(groupId),
        ),
    });
  }

  /** Called when a member has joined. */
  enter(groupId: number, instance: string, sessionMs: number): void {
    this.#sessions.enter(groupId, instance, sessionMs);
  }
  /** Called when a member has left. */
  left(groupId: number, instance: string): void {
    this.#sessions.leave(groupId, instance);
  }
  /** Removes a member whose log is closed: it has no work in progress. */
  leave(groupId: number, instance: string): void {
    this.left(groupId, instance);
    this.#queue.addOwn(
      done(() => applyGroupEvent(this.#env, groupId, { type: 'leave', id: instance })),
      () => this.#changed(groupId),
    );
  }
  leaveAll(): void {
    for (const { groupId, id } of this.#sessions.all()) this.leave(groupId, id);
  }
}
