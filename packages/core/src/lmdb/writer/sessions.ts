/**
 * The sessions of a process: sends the heartbeats of its own members, and watches the heartbeats of all others in their groups.
 *
 * This runs in the writer's thread, so that a main thread that is busy for long loses no membership and removes others in time. A
 * look reads a few small values; only its findings take a transaction, which compares the values that were seen.
 */
import { heartbeatMs, step, type WatchEffect, type Watching } from '../../pure/group/session.ts';
import { memberIsAlive, readBeats } from '../transaction/groups.ts';
import type { Env } from '../tables/env.ts';

/** The interval between two looks at the other members; shorter for sessions that are shorter than a few of these. */
const LOOK_MS = 500;

export interface SessionActions {
  /** `isMember` is called with false when the member was removed. */
  readonly beat: (groupId: number, id: string, isMember: (still: boolean) => void) => void;
  readonly expire: (groupId: number, found: WatchEffect) => void;
}
interface Group {
  readonly mine: Map<string, NodeJS.Timeout>;
  readonly look: NodeJS.Timeout;
  watching: Watching | undefined;
}

export class Sessions {
  readonly #env: Env;
  readonly #actions: SessionActions;
  readonly #groups = new Map<number, Group>();

  constructor(env: Env, actions: SessionActions) {
    this.#env = env;
    this.#actions = actions;
  }

  enter(groupId: number, id: string, sessionMs: number): void {
    const beat = setInterval(() => {
      this.#actions.beat(groupId, id, (still) => {
        if (!still) this.leave(groupId, id);
      });
    }, heartbeatMs(sessionMs));
    const group = this.#groups.get(groupId) ?? {
      mine: new Map(),
      look: setInterval(() => this.#look(groupId), Math.min(LOOK_MS, sessionMs / 5)),
      watching: undefined,
    };
    group.mine.set(id, beat);
    this.#groups.set(groupId, group);
    this.#look(groupId);
  }
  leave(groupId: number, id: string): void {
    const group = this.#groups.get(groupId);
    clearInterval(group?.mine.get(id));
    if (group?.mine.delete(id) !== true || group.mine.size > 0) return;
    clearInterval(group.look);
    this.#groups.delete(groupId);
  }
  /** The members of this process. */
  all(): readonly { readonly groupId: number; readonly id: string }[] {
    return [...this.#groups].flatMap(([groupId, { mine }]) => [...mine.keys()].map((id) => ({ groupId, id })));
  }

  #look(groupId: number): void {
    const group = this.#groups.get(groupId);
    if (group === undefined) return;
    let found: ReturnType<typeof readBeats>;
    try {
      this.#env.root.resetReadTxn();
      found = readBeats(this.#env, groupId);
    } catch {
      return; // A group that is gone, or damaged, is reported to its waiting callers.
    }
    const others = found.filter(({ id }) => !group.mine.has(id));
    const beating = others.map(({ id, beat, sessionMs, instanceId, pid, started }) => ({
      id,
      beat,
      sessionMs,
      isStatic: instanceId !== undefined,
      alive: memberIsAlive(this.#env, { pid, started }),
    }));
    const [watching, effects] = step(group.watching, { type: 'looked', found: beating, at: performance.now() });
    group.watching = watching;
    for (const effect of effects) this.#actions.expire(groupId, effect);
  }
}
