/**
 * Case O04 of the log itself, a short one: LMDB has no checksums; our values have, and LMDB's pages are walked before LMDB
 * opens them. Whatever is damaged in the file, a process that opens it gets every record that was written, or an error with a
 * name: no value that was never written, none missing silently, no death by a signal.
 */
import { join } from 'node:path';
import { openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { expect, test } from 'vitest';
import { META_BYTES } from '../layout/pages/meta-page.ts';
import { BRANCH, LEAF, META, PAGE_HEADER } from '../layout/pages/page.ts';
import { start, withFolder } from '../fixtures/child.ts';
import { chance, DAMAGES, PAGE, usedBytes, withData, type Damage } from '../fixtures/damaged.ts';
import { append, commitOf, never, shape } from '../fixtures/letters.mjs';

const RECORDS = 400;
/** The number of copies with each kind of damage; half of them on the pages of trees, where damage hurts. */
const COPIES: Readonly<Record<string, number>> = { 'flipped bits': 12, 'a bit of a tree page flipped': 12, 'zeros over 4 KB': 4, 'two pages swapped': 4 };

const makeLog = async (path: string): Promise<void> => {
  const log = await openPort(lmdb(path));
  await log.ensure([shape]);
  await log.store({ store: 's', partition: 0, group: 'g', version: 1, fingerprint: 'f' }, never);
  for (let i = 0; i < RECORDS / 4; i++) {
    await append(
      log,
      i % 2,
      Array.from({ length: 4 }, (_, n) => `${i}.${n} ${'abcdefgh'.repeat(20)}`),
    );
    await log.commit(commitOf({ stores: [{ store: 's', partition: 0, keys: [Buffer.from(`key ${i}`)], values: [Buffer.from(`value ${i}`.repeat(8))] }] }));
  }
  await log[Symbol.asyncDispose]();
};

/** Flips a bit of a page header, a list of nodes, or a pointer to a child or a value. */
const flipInTree: Damage = (data, random) => {
  const copy = Buffer.from(data);
  for (;;) {
    const page = PAGE * Math.floor(random() * (data.length / PAGE));
    const kind = page < 2 * PAGE ? META : data.readUInt16LE(page + 18);
    const count = data.readUInt16LE(page + 20) / 2;
    const among = (size: number): number => Math.floor(random() * size);
    const node = (): number => page + PAGE_HEADER + data.readUInt16LE(page + PAGE_HEADER + 2 * among(count));
    if (kind !== META && kind !== LEAF && kind !== BRANCH) continue;
    const at = kind === META ? among(META_BYTES) + page : [page + among(PAGE_HEADER), page + PAGE_HEADER + among(2 * count), node() + among(20)][among(3)]!;
    copy[at] = copy[at]! ^ (1 << among(8));
    return copy;
  }
};
const flipSome: Damage = (data, random) => {
  let copy = data;
  for (let bits = 1 + Math.floor(random() * 10); bits > 0; bits--) copy = DAMAGES['a flipped bit']!(copy, random);
  return copy;
};
const damageOf = (kind: string): Damage => (kind === 'flipped bits' ? flipSome : kind === 'a bit of a tree page flipped' ? flipInTree : DAMAGES[kind]!);

test('a log on a damaged file is whole, or reports that it is not', async () => {
  await withFolder(async (folder) => {
    const original = join(folder, 'log');
    await makeLog(original);
    const data = usedBytes(original);
    const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
    const random = chance(seed);
    const looked = join(folder, 'looked');
    withData(original, looked, data);
    const written = new Set(valuesIn((await start('look', looked).ended).lines[0]!).values);
    expect(written.size).toBeGreaterThan(RECORDS);
    const copies = Object.entries(COPIES).flatMap(([kind, count]) =>
      Array.from({ length: count }, (_, i) => {
        const path = join(folder, `${kind} ${i}`);
        withData(original, path, damageOf(kind)(data, random));
        return { kind, path };
      }),
    );
    const tally: Record<string, Record<string, number>> = {};
    const wrong: string[] = [];
    for (let i = 0; i < copies.length;) {
      const { lines, signal, errors } = await start('look', ...copies.slice(i).map(({ path }) => path)).ended;
      const verdicts = lines.map((line) => verdictOn(valuesIn(line), written));
      if (i + lines.length < copies.length) verdicts.push(`died of ${signal ?? errors}`);
      verdicts.forEach((verdict, n) => {
        const { kind, path } = copies[i + n]!;
        const counts = (tally[kind] ??= {});
        counts[verdict] = (counts[verdict] ?? 0) + 1;
        if (!ALLOWED.includes(verdict)) wrong.push(`${path.slice(folder.length + 1)}: ${verdict}`);
      });
      i += verdicts.length;
    }
    console.log(`seed ${seed}, ${data.length / PAGE} pages:`, tally);
    expect({ seed, wrong }).toEqual({ seed, wrong: [] });
    expect(tally['two pages swapped']!['refused']).toBeGreaterThan(0);
  });
}, 120_000);

interface Looked {
  readonly values: readonly string[];
  readonly errors: readonly unknown[];
}
const valuesIn = (line: string): Looked => {
  const { values, errors } = JSON.parse(line) as Looked;
  return { values: values.filter((value) => !value.endsWith(' appended')), errors };
};
const ALLOWED = ['whole', 'refused', 'reported what it could not read'];
const verdictOn = ({ values, errors }: Looked, written: ReadonlySet<string>): string => {
  const unnamed = errors.find((error) => !String(error).startsWith('STOPLOG_'));
  if (unnamed !== undefined) return `an error without a name: ${String(unnamed)}`;
  if (values.some((value) => !written.has(value))) return 'a value that was never written';
  if (errors.length > 0) return values.length === 0 ? 'refused' : 'reported what it could not read';
  return new Set(values).size === written.size ? 'whole' : `${written.size - new Set(values).size} missing silently`;
};
