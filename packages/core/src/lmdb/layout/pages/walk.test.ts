import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { buildTree, PAGE_SIZE, type Built } from './fixtures/build-pages.ts';
import { looseNodes } from './loose-nodes.ts';
import type { IsWhole } from './page.ts';
import { PageAccount } from './page-account.ts';
import { walk, type Broken, type Walked } from './walk.ts';

const entries = Array.from({ length: 12 }, (_, i): readonly [string, string] => [
  `key${String(i).padStart(2, '0')}`,
  i % 5 === 3 ? `${i}`.repeat(200) : `value ${i}`,
]);
const build = (): Built => buildTree(entries, 3);
const text = (bytes: Uint8Array): string => Buffer.from(bytes).toString();
const found = (items: Iterable<Walked>): readonly (readonly [string, string])[] =>
  [...items].flatMap((item) => (item.type === 'entry' ? [[text(item.key), text(item.value)] as const] : []));
const broken = (items: Iterable<Walked>): readonly Broken[] => [...items].filter((item) => item.type === 'broken');

describe('a tree that is sound', () => {
  test('a sound tree is walked in the order of its keys, with values on pages of their own too', () => {
    const { read, tree, space } = build();
    expect(found(walk(read, tree, space))).toEqual(entries);
    expect(broken(walk(read, tree, space))).toEqual([]);
  });
  test.each([0, 5, 11, 12])('a sound tree is walked from any key on (%i)', (from) => {
    const { read, tree, space } = build();
    expect(found(walk(read, tree, space, { from: Buffer.from(entries[from]?.[0] ?? 'l') }))).toEqual(entries.slice(from));
  });
  test('a sound tree uses each of its pages once', () => {
    const { read, tree, space } = build();
    const account = new PageAccount(space.lastPage, space.lastPage + 1);
    for (const item of walk(read, tree, space, { visit: (page, count) => account.use(page, count), values: false })) expect(item.type).toBe('entry');
    expect([...account.lost()]).toEqual([]);
  });
});

describe('a sound leaf', () => {
  const counted = (built: Built, isWhole?: IsWhole): { readonly entries: number; readonly items: readonly Walked[] } => {
    let entries = 0;
    const items = [...walk(built.read, built.tree, built.space, { sound: { isWhole, entries: (count) => (entries += count) } })];
    return { entries: entries + items.filter(({ type }) => type === 'entry').length, items };
  };
  test('a sound leaf is counted and not walked, and a leaf with a value on pages of its own is walked', () => {
    const { entries: all, items } = counted(build());
    expect(all).toBe(12);
    expect(found(items).map(([key]) => key)).toEqual(['key03', 'key04', 'key05', 'key06', 'key07', 'key08']);
    expect(broken(items)).toEqual([]);
  });
  test('a sound leaf is walked when one of its entries is not whole', () => {
    const isWhole: IsWhole = (bytes, keyAt, keyEnd) => text(bytes.subarray(keyAt, keyEnd)) !== 'key10';
    expect(found(counted(build(), isWhole).items).map(([key]) => key)).toContain('key10');
  });
  test('a sound leaf is told apart from a faulty one, whatever bits are flipped', () => {
    fc.assert(
      fc.property(fc.array(fc.record({ at: fc.nat(20 * PAGE_SIZE), bit: fc.nat(7) }), { minLength: 1, maxLength: 4 }), (flips) => {
        const built = build();
        for (const { at, bit } of flips) built.bytes[at % built.bytes.length]! ^= 1 << bit;
        const { entries: all, items } = counted(built);
        const walked = [...walk(built.read, built.tree, built.space)];
        expect([all, broken(items)]).toEqual([found(walked).length, broken(walked)]);
      }),
      { numRuns: 500 },
    );
  });
});

describe('a fault is reported with the keys it hides, and the walk continues after it', () => {
  const leafOf = (i: number): number => {
    const { read, tree, space } = build();
    for (const item of walk(read, tree, space)) if (item.type === 'entry' && text(item.key) === entries[i]![0]) return item.page;
    throw new Error('not there');
  };
  const root = build().tree.root!;
  test.each<readonly [string, (built: Built) => void, RegExp, number]>([
    ['a leaf of another number', ({ bytes }) => bytes.writeBigUInt64LE(77n, leafOf(3) * PAGE_SIZE), /says it is page 77/, 9],
    ['a leaf that is a branch', ({ bytes }) => bytes.writeUInt16LE(1, leafOf(3) * PAGE_SIZE + 18), /a branch, where a leaf/, 9],
    ['a list of nodes longer than the page', ({ bytes }) => bytes.writeUInt16LE(400, leafOf(3) * PAGE_SIZE + 20), /does not fit/, 9],
    ['a node that begins outside', ({ bytes }) => bytes.writeUInt16LE(250, leafOf(3) * PAGE_SIZE + 24), /is outside/, 11],
    [
      'a key longer than the page',
      ({ bytes }) => bytes.writeUInt16LE(4_000, leafOf(3) * PAGE_SIZE + 24 + bytes.readUInt16LE(leafOf(3) * PAGE_SIZE + 24) + 6),
      /longer than the page/,
      11,
    ],
    [
      'a key out of order',
      ({ bytes }) => bytes.write('a', leafOf(4) * PAGE_SIZE + 24 + bytes.readUInt16LE(leafOf(4) * PAGE_SIZE + 26) + 8),
      /out of order/,
      11,
    ],
    [
      'a child that is not there',
      ({ bytes }) => bytes.writeUInt32LE(900, root * PAGE_SIZE + 24 + bytes.readUInt16LE(root * PAGE_SIZE + 26)),
      /there is no such page/,
      9,
    ],
    [
      'a child that is the branch itself',
      ({ bytes }) => bytes.writeUInt32LE(root, root * PAGE_SIZE + 24 + bytes.readUInt16LE(root * PAGE_SIZE + 26)),
      /a branch, where a leaf/,
      9,
    ],
    [
      'a space between nodes',
      ({ bytes }) => bytes.writeUInt16LE(bytes.readUInt16LE(leafOf(0) * PAGE_SIZE + 22) - 2, leafOf(0) * PAGE_SIZE + 22),
      /its nodes begin/,
      12,
    ],
    [
      'a value that is shorter than its place',
      ({ bytes }) => bytes.writeUInt32LE(4, leafOf(0) * PAGE_SIZE + 24 + bytes.readUInt16LE(leafOf(0) * PAGE_SIZE + 24)),
      /its nodes take/,
      12,
    ],
    ['a note of a transaction', ({ bytes }) => bytes.writeUInt16LE(0x8002, leafOf(0) * PAGE_SIZE + 18), /has the notes 8000/, 12],
    ['a page of a later commit', ({ bytes }) => bytes.writeBigUInt64LE(8n, leafOf(0) * PAGE_SIZE + 8), /commit 8 wrote it, and the last one is 7/, 12],
  ])('%s is reported', (_, damage, sentence, left) => {
    const built = build();
    damage(built);
    const items = [...walk(built.read, built.tree, { ...built.space, txn: 7 })];
    expect(broken(items)[0]!.what).toMatch(sentence);
    expect(found(items).length).toBe(left);
    if (left < 12) expect(text(broken(items)[0]!.before ?? Buffer.from('z')) > text(broken(items)[0]!.after ?? Buffer.alloc(0))).toBe(true);
  });
  test('two children that are one page are reported, when pages are counted', () => {
    const built = build();
    const [first, second] = [26, 28].map((at) => root * PAGE_SIZE + 24 + built.bytes.readUInt16LE(root * PAGE_SIZE + at));
    built.bytes.writeUInt32LE(built.bytes.readUInt32LE(first), second);
    const account = new PageAccount(built.space.lastPage, built.space.lastPage + 1);
    expect(broken(walk(built.read, built.tree, built.space, { visit: (page, count) => account.use(page, count) })).map(({ what }) => what)).toContain(
      'it is reached twice',
    );
  });
  test('a file that ends before its pages is reported', () => {
    const { bytes, tree, space } = build();
    const short = bytes.subarray(0, 5 * PAGE_SIZE);
    const read = (page: number, count: number): Uint8Array | undefined =>
      (page + count) * PAGE_SIZE <= short.length ? short.subarray(page * PAGE_SIZE, (page + count) * PAGE_SIZE) : undefined;
    expect(broken(walk(read, tree, space)).map(({ what }) => what)).toContain('the file ends before it');
  });
});

test('a walk over any changed bytes ends, and yields keys in order', () => {
  fc.assert(
    fc.property(fc.array(fc.record({ at: fc.nat(20 * PAGE_SIZE), byte: fc.nat(255) }), { minLength: 1, maxLength: 12 }), fc.nat(6), (changes, depth) => {
      const built = build();
      for (const { at, byte } of changes) built.bytes[at % built.bytes.length] = byte;
      const tree = { ...built.tree, depth: depth < 2 ? depth : built.tree.depth };
      const keys = found(walk(built.read, tree, built.space)).map(([key]) => Buffer.from(key));
      keys.forEach((key, i) => i > 0 && expect(Buffer.compare(keys[i - 1]!, key)).toBeLessThanOrEqual(0));
      for (let page = 0; page <= built.space.lastPage; page++) for (const { key } of looseNodes(built.read(page, 1)!)) expect(key.length).toBeGreaterThan(0);
    }),
    { numRuns: 200 },
  );
});
