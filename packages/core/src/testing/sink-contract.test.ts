/** The suite of a sink's promises: a target in memory keeps all of them, and each fault that is built into it breaks the promise about it. */
import { describe, expect, test } from 'vitest';
import type { SinkBatch, SinkStart, SinkWriter } from '../port/sink.ts';
import { StoplogError } from '../pure/errors.ts';
import { sinkContract, sinkPromises, type SinkUnderTest, type SinkValue } from './sink-contract.ts';

interface Version {
  readonly from: string;
  readonly offset: bigint;
  readonly index: number;
}
interface Row extends Version {
  readonly value: SinkValue | null;
}
type Fault =
  | 'takes older values'
  | 'compares offsets as numbers'
  | 'ignores the index'
  | 'forgets tombstones'
  | 'deletes newer values'
  | 'is not atomic'
  | 'keeps no position'
  | 'has one position for all'
  | 'fences nobody'
  | 'lets older owners open'
  | 'ignores its signal';

/** A target that keeps a row for each key, tombstones included, and a position for each owner. */
class Target {
  readonly #faults: ReadonlySet<Fault>;
  #rows = new Map<string, Row>();
  readonly #positions = new Map<string, bigint>();
  readonly #epochs = new Map<string, number>();
  #crashes = false;

  constructor(faults: readonly Fault[] = []) {
    this.#faults = new Set(faults);
  }
  under(): SinkUnderTest {
    return {
      open: (start) => this.#open(start),
      read: async () => new Map([...this.#rows].flatMap(([key, { value }]) => (value === null ? [] : [[key, value] as const]))),
      crash: async () => {
        this.#crashes = true;
        return async () => void (this.#crashes = false);
      },
      dispose: async () => {},
    };
  }
  async #open(start: SinkStart): Promise<SinkWriter> {
    const { group, topic, partition, epoch } = start;
    const owner = `${group} ${topic} ${partition}`;
    if (!this.#faults.has('lets older owners open')) this.#fence(owner, epoch);
    this.#epochs.set(owner, Math.max(epoch, this.#epochs.get(owner) ?? 0));
    const place = this.#faults.has('has one position for all') ? 'all' : owner;
    return {
      recover: async () => this.#positions.get(place),
      write: async (batch, signal) => {
        if (!this.#faults.has('ignores its signal')) signal.throwIfAborted();
        if (!this.#faults.has('fences nobody')) this.#fence(owner, epoch);
        this.#write(batch, place, `${topic} ${partition}`);
      },
      [Symbol.asyncDispose]: async () => {},
    };
  }
  #fence(owner: string, epoch: number): void {
    if (epoch < (this.#epochs.get(owner) ?? 0)) throw new StoplogError('STOPLOG_FENCED', { epoch }, 'a newer owner has opened the sink');
  }
  #write({ records, position }: SinkBatch, place: string, from: string): void {
    const known = this.#positions.get(place) ?? 0n;
    const rows = new Map(this.#rows);
    for (const { key, value, offset, index } of records) {
      if (offset < known) continue;
      const row = { value: value as SinkValue | null, from, offset, index };
      const there = rows.get(key as string);
      if (there !== undefined && there.from === from && !this.#isNewer(row, there)) continue;
      if (value === null && this.#faults.has('forgets tombstones')) rows.delete(key as string);
      else rows.set(key as string, row);
    }
    if (this.#crashes) {
      if (this.#faults.has('is not atomic')) this.#rows = rows;
      throw new Error('the target crashed');
    }
    this.#rows = rows;
    if (!this.#faults.has('keeps no position') && position > known) this.#positions.set(place, position);
  }
  #isNewer(row: Row, there: Row): boolean {
    if (this.#faults.has('takes older values') && row.value !== null) return true;
    if (this.#faults.has('deletes newer values') && row.value === null) return true;
    if (row.offset === there.offset) return this.#faults.has('ignores the index') ? true : row.index > there.index;
    return this.#faults.has('compares offsets as numbers') ? Number(row.offset) >= Number(there.offset) : row.offset > there.offset;
  }
}

sinkContract('a target in memory', async () => new Target().under());

describe('a sink with a fault', () => {
  const broken = async (...faults: readonly Fault[]): Promise<readonly string[]> => {
    const sentences: string[] = [];
    for (const [sentence, show] of sinkPromises())
      await show(async () => new Target(faults).under()).catch(() => {
        sentences.push(sentence.split(':')[0]!);
      });
    return [...new Set(sentences)];
  };
  test.each<[Fault, readonly string[]]>([
    ['takes older values', ['order', 'tombstones', 'replay']],
    ['compares offsets as numbers', ['position']],
    ['ignores the index', ['order']],
    ['forgets tombstones', ['tombstones', 'replay']],
    ['deletes newer values', ['tombstones', 'replay']],
    ['is not atomic', ['together']],
    ['keeps no position', ['position', 'owners']],
    ['has one position for all', ['position', 'partitions']],
    ['fences nobody', ['owners']],
    ['lets older owners open', ['owners']],
    ['ignores its signal', ['endings']],
  ])('a sink that %s breaks the promises about that', async (fault, beginnings) => {
    expect(await broken(fault)).toEqual(expect.arrayContaining([...beginnings]));
  });
  test('a sink without a fault breaks none', async () => {
    expect(await broken()).toEqual([]);
  });
});
