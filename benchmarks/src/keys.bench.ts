/** Measures the memory of compaction, for many keys. */
import { atMost, type Figure, type Setting } from './harness/benchmark.ts';
import { startChild } from './harness/child.ts';
import { withFolder } from './harness/folder.ts';
import { repeat } from './harness/pairs.ts';
import type { Compacted } from './keys.child.ts';

export const question = 'How much memory does a process take that compacts a topic of 10⁷ different keys?';
export const sketch =
  'Node with a writer and lmdb: 70 MB. The map of a pass ends at 4 Mi slots of 24 bytes, 96 MiB, and half as much again while it grows; three million keys fit, so 10⁷ take four passes.';
export const bound = 'at most 300 MB of its own, at the most of the way';
export const unit = 'MB';
export const durability = 'every step of cleaning durable';
export const limitedBy = 'the map of keys, and what grows beside it.';

export const run = async (setting: Setting): Promise<readonly Figure[]> => {
  // Four million keys fill the map and start an empty one: more keys mean more passes, not more memory.
  const keys = setting.quick ? 50_000 : setting.full ? 10_000_000 : 4_000_000;
  const compacted: Compacted[] = [];
  const own = await repeat({ ...setting, pairs: Math.min(setting.pairs, setting.full ? 1 : 3) }, () =>
    withFolder(async (folder) => {
      setting.report(`filling ${keys} keys`);
      const filling = startChild(new URL('./keys.child.js', import.meta.url), 'fill', folder, String(keys));
      await filling.line();
      await filling.kill();
      setting.report(`compacting ${keys} keys`);
      const child = startChild(new URL('./keys.child.js', import.meta.url), 'compact', folder, String(keys));
      const one = await child.line<Compacted>();
      await child.kill();
      if (one.kept !== keys) throw new Error(`${one.kept} of ${keys} keys are left: one for each was to be`);
      compacted.push(one);
      return one.own;
    }),
  );
  return [
    { name: `${keys.toLocaleString('en')} keys: of its own`, unit, durability, ours: own, bounds: [atMost('ours', 300)] },
    { name: 'resident, with the mapped pages of the file', unit, durability, ours: compacted.map(({ resident }) => resident), bounds: [] },
    { name: 'until it was compacted', unit: 's', durability, ours: compacted.map(({ seconds }) => seconds), bounds: [] },
  ];
};
