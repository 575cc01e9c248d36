/**
 * Appends numbers of keys of its own, a few hundred a second, until a line comes on standard input; prints how many were acknowledged.
 *
 *   appender.child.js FOLDER FIRST_KEY KEYS
 */
import { openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { numbers } from './versions.pipeline.ts';

const [folder, first, keys] = process.argv.slice(2) as [string, string, string];
let isOver = false;
process.stdin.once('data', () => {
  isOver = true;
  process.stdin.destroy();
});
const log = await openLog(lmdb(folder));
console.log('appending');
let n = 0;
for (; !isOver; n++) {
  await log.append(
    numbers,
    Array.from({ length: Number(keys) }, (_, i) => ({ key: `k${Number(first) + i}`, value: { key: `k${Number(first) + i}`, n } })),
  );
  await new Promise((resolve) => setTimeout(resolve, 20));
}
await log[Symbol.asyncDispose]();
console.log(`appended ${n}`);
