/**
 * Fourteen bugs, each one replacement in a compiled file of core: the suite must catch them, or it proves nothing.
 *
 * The text must be there exactly once. A change of the product that moves it makes the test fail, and the mutant is
 * rewritten.
 */
import type { FaultKind } from '../checkers/fault.ts';

export interface Mutant {
  readonly name: string;
  /** Below packages/core/dist. */
  readonly file: string;
  readonly text: string;
  readonly instead: string;
  /** The kind of finding that must catch it: a copy that does not even start has another kind. */
  readonly shows: FaultKind;
  /**
   * The scenario that shows it: a flagship killed at a failpoint, commits of former owners, a damaged file, a power cut,
   * compaction.
   */
  readonly scenario:
    | { readonly kind: 'flagship'; readonly failpoint: 'commit.applied' | 'append.before'; readonly hit: number }
    | { readonly kind: 'fence' }
    | { readonly kind: 'damage' }
    | { readonly kind: 'power'; readonly images: number }
    | { readonly kind: 'survivors' };
}

const APPLY = 'lmdb/transaction/apply.js';
const QUEUE = 'lmdb/writer/queue.js';
const APPENDS = 'const offsets = appends.map(';
const PUT_BATCH = "putRaw(env, 'log', batchKey(topicId, partition, baseOffset), batch);";
const applied = { kind: 'flagship', failpoint: 'commit.applied', hit: 3 } as const;

export const MUTANTS: readonly Mutant[] = [
  { name: 'acknowledges without writing', file: APPLY, text: PUT_BATCH, instead: '', shows: 'lost', scenario: applied },
  {
    name: "applies a commit's appends twice",
    file: APPLY,
    text: APPENDS,
    instead: `appends = [...appends, ...appends.map((append) => ({ ...append, batch: Buffer.from(append.batch) }))]; ${APPENDS}`,
    shows: 'doubled',
    scenario: applied,
  },
  {
    name: 'reuses an offset after a restart',
    file: 'lmdb/transaction/ends.js',
    text: 'ends: readEnds(this.#env, topicId, partition), moved: false',
    instead:
      'ends: ((ends) => { const seen = (globalThis.seen ??= new Set()); if (seen.has(name) || ends.end === 0n) return ends; seen.add(name); return { ...ends, end: ends.end - 1n }; })(readEnds(this.#env, topicId, partition)), moved: false',
    shows: 'inconsistent offset',
    scenario: applied,
  },
  {
    name: 'answers before the transaction has ended',
    file: QUEUE,
    text: 'grown = ends.write();',
    instead:
      'grown = ends.write(); share.forEach((pending, i) => pending.bytes > 0 && pending.answer(outcomes[i])); Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300);',
    shows: 'lost',
    scenario: { kind: 'flagship', failpoint: 'append.before', hit: 7 },
  },
  {
    name: 'ignores the epoch',
    file: 'pure/group/fence.js',
    text: 'if (held === epoch)',
    instead: 'if (true)',
    shows: 'stale commit',
    scenario: { kind: 'fence' },
  },
  {
    name: 'ignores where the group stands',
    file: 'lmdb/transaction/membership.js',
    text: 'if (stands !== from) {',
    instead: 'if (false) {',
    shows: 'stale commit',
    scenario: { kind: 'fence' },
  },
  {
    name: 'believes a batch whose checksum does not agree',
    file: 'pure/record/batch-layout.js',
    text: 'if (crc32(bytes.subarray(HEADER_SIZE)) !== recorded)',
    instead: 'if (false)',
    shows: 'inconsistent offset',
    scenario: { kind: 'damage' },
  },
  {
    name: 'reads on behind a batch that is damaged, without a word',
    file: 'lmdb/tables/reader.js',
    text: 'const view = readBatchAt(env, place, next);',
    instead: 'let view; try { view = readBatchAt(env, place, next); } catch { next++; continue; }',
    shows: 'skipped',
    scenario: { kind: 'damage' },
  },
  {
    name: 'flushes nothing',
    file: 'lmdb/tables/env.js',
    text: '...more,',
    instead: '...more, noSync: true,',
    shows: 'lost',
    scenario: { kind: 'power', images: 4 },
  },
  {
    name: 'drops the newest record of a key when it compacts',
    file: 'pure/retention/compaction.js',
    text: 'view.keyEnd) <= base + view.offsetDelta',
    instead: 'view.keyEnd) < base + view.offsetDelta',
    shows: 'lost',
    scenario: { kind: 'survivors' },
  },
  {
    name: 'drops a tombstone before its time',
    file: 'pure/retention/compaction.js',
    text: 'noted !== undefined && now >= noted',
    instead: 'true',
    shows: 'lost',
    scenario: { kind: 'survivors' },
  },
  {
    name: 'writes stores outside the commit',
    file: APPLY,
    text: "putRaw(env, 'stores', key, value);",
    instead: "setTimeout(() => putRaw(env, 'stores', key, value), 500);",
    shows: 'store',
    scenario: applied,
  },
  {
    name: 'moves a position one too far',
    file: APPLY,
    text: 'encodeOffset(move.to)',
    instead: 'encodeOffset(move.to + 1n)',
    shows: 'store',
    scenario: applied,
  },
  {
    name: 'reorders the batches of one commit',
    file: APPLY,
    text: APPENDS,
    instead: `appends = appends.toReversed(); ${APPENDS}`,
    shows: 'inconsistent offset',
    scenario: applied,
  },
];
