import { describe, expect, test } from 'vitest';
import { encodeOffset, groupKey, NO_ENDS, positionKey, producedKey, producerKey, storePrefix } from '../../layout/keyspace.ts';
import { heartbeatKey, heldKey, unitsKey } from '../../layout/group-record.ts';
import { toBytes } from '../../layout/meta.ts';
import { kindOf, type Known } from './entry-kinds.ts';
import { isDamage, placeText } from '../../../pure/log/finding.ts';
import { groupsToRestart, touches } from './group-loss.ts';
import { namesIn } from './names.ts';

const shape = {
  name: 'orders',
  partitions: 2,
  cleanup: 'delete',
  retentionMs: undefined,
  keyCodec: 'json',
  valueCodec: 'json',
  keySchema: {},
  valueSchema: {},
};
const entry = (key: string, value: unknown): readonly [Buffer, Buffer] => [Buffer.from(key), toBytes(value)];
const META = [
  entry('format', 1),
  entry('next', 7),
  entry('topic:orders', { id: 1, shape }),
  entry('group:billing', { id: 2 }),
  entry('store:sums', { id: 3, group: 'billing', version: 1, fingerprint: 'f' }),
  entry('gone:4', { id: 4, kind: 'topic' }),
  entry('source:ticks', { id: 5 }),
  entry('producer:till', { id: 6 }),
  entry('file', '1234'),
  entry('cleaning:1:0', {}),
];
const { names } = namesIn(META);

describe('the meta table', () => {
  test('the meta table gives topics, groups, stores and producers their numbers', () => {
    expect(namesIn(META).findings).toEqual([]);
    expect([[...names.topics.keys()], [...names.groups], [...names.stores.keys()], [...names.gone], [...names.producers], names.next]).toEqual([
      [1],
      [[2, 'billing']],
      [3],
      [4],
      [[6, 'till']],
      7,
    ]);
  });
  test.each([
    ['a number that was assigned twice', entry('group:other', { id: 1 }), 'form', /number 1, and so has/],
    ['a number that will be assigned again', entry('group:other', { id: 7 }), 'form', /would be assigned twice/],
    ['a value that is not JSON', [Buffer.from('topic:x'), Buffer.from('{')] as const, 'form', /not JSON/],
    ['a shape of another topic', entry('topic:x', { id: 9, shape }), 'form', /not the shape/],
  ])('the meta table with %s is a finding', (_, more, rule, sentence) => {
    const found = namesIn([...META, more]).findings.find((one) => sentence.test(one.what));
    expect(found?.rule).toBe(rule);
  });
  test('an entry of a later version is reported, and is no damage', () => {
    const { findings } = namesIn([...META, entry('zebra:x', 1)]);
    expect(findings.map(({ rule, what }) => [rule, what])).toEqual([['unknown', "'zebra:x' is of a kind that this version does not know"]]);
    expect(findings.some(isDamage)).toBe(false);
  });
});

describe('entries', () => {
  const known: Known = { names, endsOf: () => ({ ...NO_ENDS, end: 10n }) };
  const position = (group: number, topic: number, partition: number, offset: bigint): string | undefined => {
    const key = positionKey(group, topic, partition);
    return kindOf('positions', key)!.check(key, encodeOffset(offset), known)?.rule;
  };
  test('the position of a source is any number, and belongs to a known group', () => {
    expect([position(2, 5, 3, 10n ** 15n), position(9, 5, 3, 1n)]).toEqual([undefined, 'owner']);
  });
  test('a position is at most the end, and may be below the start', () => {
    expect([position(2, 1, 1, 0n), position(2, 1, 1, 10n), position(2, 1, 1, 11n)]).toEqual([undefined, undefined, 'position']);
  });
  test('an entry without an owner is reported, and one that is being deleted is not', () => {
    expect([position(9, 1, 0, 0n), position(2, 9, 0, 0n), position(2, 1, 2, 0n), position(2, 4, 0, 0n)]).toEqual(['owner', 'owner', 'owner', undefined]);
    const store = Buffer.concat([storePrefix(8, 0), Buffer.from('k')]);
    expect(kindOf('stores', store)!.check(store, Buffer.alloc(1), known)?.rule).toBe('owner');
  });
  test('a store may exist before its group, and has no entries then', () => {
    const more = [...META, entry('store:more', { id: 40, group: 'nobody' }), entry('next', 41)];
    const { names, findings } = namesIn(more.filter(([key], i) => key.toString() !== 'next' || i === more.length - 1));
    expect(findings).toEqual([]);
    const key = Buffer.concat([storePrefix(40, 0), Buffer.from('k')]);
    expect(kindOf('stores', key)!.check(key, Buffer.alloc(1), { ...known, names })).toMatchObject({ rule: 'owner', store: 'more' });
  });
  test("a producer's state belongs to a known producer, or to one that is being forgotten", () => {
    const rule = (key: Buffer): string | undefined => kindOf('producers', key)!.check(key, Buffer.alloc(8), known)?.rule;
    expect([6, 4, 9].map((id) => rule(producerKey(id)))).toEqual([undefined, undefined, 'owner']);
    expect([rule(producedKey(6, 1, 1)), rule(producedKey(6, 1, 2)), rule(producedKey(9, 1, 0))]).toEqual([undefined, 'owner', 'owner']);
  });
  test('a row of a group names an epoch, or is the mark of a deleted one', () => {
    const row = (value: Buffer): string | undefined => kindOf('groups', groupKey(2))!.check(groupKey(2), value, known)?.rule;
    expect([row(toBytes({ epoch: 3, owner: null, beat: 0 })), row(Buffer.alloc(0)), row(Buffer.from('{}'))]).toEqual([undefined, undefined, 'form']);
  });
  test('a row of a member belongs to a known group and a known partition', () => {
    const rule = (key: Buffer, size: number): string | undefined => kindOf('groups', key)!.check(key, Buffer.alloc(size), known)?.rule;
    expect([rule(heartbeatKey(2, 1), 16), rule(heartbeatKey(2, 1), 8), rule(unitsKey(2, 1), 2), rule(heartbeatKey(9, 1), 16)]).toEqual([
      undefined,
      'form',
      undefined,
      'owner',
    ]);
    expect([rule(heldKey(2, 1, 1), 13), rule(heldKey(2, 1, 1), 12), rule(heldKey(2, 1, 2), 13), rule(heldKey(2, 9, 0), 13)]).toEqual([
      undefined,
      'form',
      'owner',
      'owner',
    ]);
    // A source has places, too.
    expect(rule(heldKey(2, 5, 0), 13)).toBeUndefined();
  });
  test('a key of a later version has no kind', () => expect(kindOf('groups', Buffer.alloc(12))).toBeUndefined());
});

describe('loss in a group', () => {
  const losses = {
    groups: names.groups,
    stores: names.stores,
    topicsOf: (group: string) => [`${group}.own`],
    storeGaps: [],
    positionGaps: [],
    namesLost: false,
  };
  const near = { after: storePrefix(3, 0), before: undefined };
  const far = { after: undefined, before: storePrefix(2, 0) };
  test('stores and positions are lost together, or not at all', () => {
    expect(groupsToRestart(losses)).toEqual([]);
    expect(groupsToRestart({ ...losses, storeGaps: [near] })).toEqual([
      { group: 'billing', why: "store 'sums' may have lost entries", topics: ['billing.own'] },
    ]);
    expect(groupsToRestart({ ...losses, storeGaps: [far] })).toEqual([]);
    expect(groupsToRestart({ ...losses, positionGaps: [far] })).toMatchObject([{ group: 'billing' }]);
    expect(groupsToRestart({ ...losses, groups: new Map() })).toMatchObject([{ group: 'billing', why: expect.stringContaining('number is lost') }]);
  });
  test('the remaining positions stay in a group without stores', () => {
    expect(groupsToRestart({ ...losses, stores: new Map(), positionGaps: [far] })).toEqual([]);
  });
  test('a gap between two keys touches the numbers between them, and their own', () => {
    const gap = { after: storePrefix(3, 7), before: storePrefix(5, 0) };
    expect([2, 3, 4, 5, 6].map((id) => touches(gap, id))).toEqual([false, true, true, true, false]);
  });
});

test('a finding names its place', () => {
  expect(placeText({ rule: 'gap', file: 'data.mdb', table: 'log', topic: 'orders', partition: 1, offset: 120n, until: 136n, what: '' })).toBe(
    'data.mdb log orders[1] offsets 120 to 135',
  );
  expect(placeText({ rule: 'page', file: 'data.mdb', table: 'log', page: 17, what: '' })).toBe('data.mdb log page 17');
});
