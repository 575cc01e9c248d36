/**
 * Measures how long a partition stands still while the processes that share the pipeline are restarted, one after the other.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { openLog, type LogClient } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { startChild, type Child } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';
import { keyName } from './harness/records.ts';
import { copied, incoming, PARTITIONS } from './rolling.pipeline.ts';

export const question = 'How long is the longest pause of a partition while two processes under load are restarted one after the other?';
export const sketch =
  'Each partition moves: the batch at hand ends (10 ms), its commit (1 ms), the other process hears of it (5 ms), starts an actor in a warm thread (5 ms), and commits: 20 ms, and some 50 ms more while two cores load the new process.';
export const bound = 'at most 200 ms';
export const unit = 'ms';
export const durability =
  'between two commits of one partition as a reader sees them, with records waiting all the time; each record copied once, none lost, checked';
export const limitedBy = 'the processor: the process that starts and the two that work share its cores.';

const CHILD = new URL('./rolling.child.js', import.meta.url);
const KEYS = 64;
const EVERY_MS = 5;
/** How long the two are left alone before, between and after the restarts. */
const CALM_MS = 500;

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  const [calm, rolling, description]: number[][] = [[], [], []];
  for (let i = 0; i < (setting.quick ? 1 : setting.pairs); i++) {
    setting.report(`round ${i + 1} of ${setting.pairs}`);
    const round = await withFolder((folder) => restartBoth(folder, false));
    calm!.push(round.calm);
    rolling!.push(round.rolling);
    description!.push((await withFolder((folder) => restartBoth(folder, true))).rolling);
  }
  return [
    { name: 'rolling restart', unit, durability, ours: rolling!, bounds: [atMost('ours', 200)] },
    { name: 'nothing happens', unit, durability, ours: calm!, bounds: [] },
    { name: 'static members: nothing moves, partitions wait for the process to be back', unit, durability, ours: description!, bounds: [] },
  ];
};

/** The longest pause of any partition, while nothing happened and while both processes were restarted. */
const restartBoth = async (folder: string, isStatic: boolean): Promise<{ readonly calm: number; readonly rolling: number }> => {
  await using log = await openLog(lmdb(folder));
  const start = async (name: string): Promise<Child> => {
    const child = startChild(CHILD, folder, ...(isStatic ? [name] : []));
    await child.line();
    return child;
  };
  const members = [await start('a'), await start('b')];
  const load = new Load(log);
  await load.reached();
  await sleep(CALM_MS);
  load.longest();
  await sleep(4 * CALM_MS);
  const calm = load.longest();
  for (const [i, name] of ['a', 'b'].entries()) {
    await members[i]!.end();
    members[i] = await start(name);
    await sleep(CALM_MS);
  }
  const rolling = load.longest();
  await load.stop();
  for (const member of members) await member.end();
  return { calm, rolling };
};

/**
 * Sends a record of each key every few ms, and checks their copies: each once, in order; measures the pauses of each
 * partition.
 */
class Load {
  readonly #log: LogClient;
  readonly #stop = new AbortController();
  readonly #seen = new Map<string, number>();
  readonly #lastAt = Array.from({ length: PARTITIONS }, () => performance.now());
  readonly #sending: Promise<void>;
  readonly #reading: Promise<void>;
  #longest = 0;
  #rounds = 0;
  #isOver = false;

  constructor(log: LogClient) {
    this.#log = log;
    this.#sending = this.#send();
    this.#reading = this.#read();
  }

  /** Resolves when every record sent before the call has been copied. */
  async reached(): Promise<void> {
    const wanted = this.#rounds;
    while (this.#seen.size < KEYS || Math.min(...this.#seen.values()) < wanted - 1) await sleep(EVERY_MS);
  }
  /** The longest pause since the last call, including one that is not over. */
  longest(): number {
    const now = performance.now();
    const longest = Math.max(this.#longest, ...this.#lastAt.map((at) => now - at));
    this.#longest = 0;
    this.#lastAt.fill(now);
    return longest;
  }
  /** Stops sending, and waits for the rest. */
  async stop(): Promise<void> {
    this.#isOver = true;
    await this.#sending;
    await this.reached();
    this.#stop.abort();
    await this.#reading;
  }

  async #send(): Promise<void> {
    while (!this.#isOver) {
      const round = this.#rounds++;
      await this.#log.append(
        incoming,
        Array.from({ length: KEYS }, (_, n) => ({ key: keyName(n), value: round })),
        { ack: 'committed' },
      );
      await sleep(EVERY_MS);
    }
  }
  async #read(): Promise<void> {
    for await (const batch of this.#log.read(copied, { from: 'earliest', signal: this.#stop.signal })) {
      const now = performance.now();
      for (const { key, value, partition } of batch) {
        const expected = (this.#seen.get(key) ?? -1) + 1;
        if (value !== expected) throw new Error(`${key} was ${expected} next, and ${value} was copied: a record is lost or duplicated`);
        this.#seen.set(key, value);
        this.#longest = Math.max(this.#longest, now - this.#lastAt[partition]!);
        this.#lastAt[partition] = now;
      }
    }
  }
}
