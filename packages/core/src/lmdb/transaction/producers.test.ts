/** Stored producers of which a part is lost: no record may be taken for one that was appended before. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { producerKey } from '../layout/keyspace.ts';
import { BatchBuilder } from '../../pure/record/batch.ts';
import { sweep } from './administer.ts';
import { RefusedIncarnations } from './refused-incarnations.ts';
import { admit } from './admit.ts';
import { applyCommit } from './apply.ts';
import { applyEnsure } from './declare.ts';
import { Cleanups } from '../tables/cleanups.ts';
import { timesOf } from '../tables/log-time.ts';
import { openBareEnv, type BareEnv } from '../fixtures/bare-env.ts';
import { shape } from '../fixtures/letters.mjs';
import { applyOpenProducer } from './producers.ts';
import type { ProducerStamp } from '../../pure/producer/producer.ts';

let bare: BareEnv;
let cleanups: Cleanups;
beforeEach(() => {
  bare = openBareEnv();
  cleanups = new Cleanups(
    bare.env,
    timesOf(() => 1_000),
  );
  bare.committing(() => applyEnsure(bare.env, [shape]));
});
afterEach(() => bare.close());

const append = (text: string, producer: ProducerStamp): bigint => {
  const builder = new BatchBuilder();
  builder.append(text, text, 0);
  const commit = { groupId: 0, epoch: 0, appends: [{ topicId: 1, partition: 0, batch: builder.finish(), producer }], entries: [], positions: [] };
  return bare.committing((ends) =>
    applyCommit(bare.env, commit, admit(bare.env, { commit, incarnation: undefined }, new RefusedIncarnations(), ends, cleanups), ends, cleanups),
  )[0]!;
};
const opened = (held?: ReturnType<typeof applyOpenProducer>): ReturnType<typeof applyOpenProducer> =>
  bare.committing(() => applyOpenProducer(bare.env, 'api', held, 1_000));

test('a producer whose record is lost begins under another number: its appends are not taken for those of an earlier incarnation', () => {
  const before = opened();
  expect([append('a', { ...before, sequence: 0 }), append('b', { ...before, sequence: 1 })]).toEqual([0n, 1n]);
  bare.committing(() => bare.env.tables.producers.removeSync(producerKey(before.id)));
  expect(() => opened(before)).toThrow(expect.objectContaining({ code: 'STOPLOG_FENCED' }));
  const after = opened();
  expect([append('c', { ...after, sequence: 0 }), append('d', { ...after, sequence: 1 })]).toEqual([2n, 3n]);
  while (bare.committing(() => sweep(bare.env)));
  const left = [...bare.env.tables.producers.getKeys({})].map((key) => Buffer.from(key).readUInt32BE(0));
  expect([...new Set(left)]).toEqual([after.id]);
});
