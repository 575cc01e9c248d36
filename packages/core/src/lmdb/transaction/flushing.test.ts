/** Who dies in a flush takes nobody with it, and the first who is alone afterwards flushes as it did. */
import { expect, test } from 'vitest';
import { start, withFolder, type Child } from '../fixtures/child.ts';
import { newestCommit } from '../folder/slack.ts';

/** More than the disk takes in while a signal is sent. */
const SLOW = [12, 8_000_000] as const;
/** More pages than LMDB flushes with its lock let go. */
const LARGE = [60_000, 200] as const;
const ATTEMPTS = 5;

/** What it answers, line for line. */
const ask = (child: Child, command: string, ...numbers: readonly number[]): Promise<string> => {
  const heard = child.lines.length;
  child.process.stdin!.write(`${[command, ...numbers].join(' ')}\n`);
  return child.said('', heard);
};
const open = async (path: string): Promise<Child> => {
  const child = start('flusher', path);
  await child.said('ready');
  return child;
};
/** Kills it while it flushes what it has committed; false when it was through by then. */
const killInFlush = async (child: Child, path: string): Promise<boolean> => {
  const before = newestCommit(path);
  child.process.stdin!.write(`put ${SLOW.join(' ')}\n`);
  while (newestCommit(path) === before) await new Promise((resolve) => setImmediate(resolve));
  child.kill();
  const { signal, lines } = await child.ended;
  return signal === 'SIGKILL' && !lines.some((line) => line.startsWith('put'));
};

test('a process killed while it flushes takes none of those along that commit beside it or after it', async () => {
  for (let n = 1; ; n++) {
    expect(n, 'it was never killed in its flush').toBeLessThanOrEqual(ATTEMPTS);
    const isKilled = await withFolder(async (path) => {
      const first = await open(path);
      expect(await ask(first, 'look')).toBe('after');
      const second = await open(path);
      expect(await ask(second, 'look')).toBe('before');
      if (!(await killInFlush(first, path))) {
        second.kill();
        await second.ended;
        return false;
      }
      expect(await ask(second, 'put', ...LARGE)).toBe(`put ${LARGE[0]}`);
      const third = await open(path);
      expect(await ask(second, 'look')).toBe('before');
      third.kill();
      await third.ended;
      // It is alone now, and the lock of the first one's flush is still that of a dead process.
      expect(await ask(second, 'look')).toBe('after');
      expect(await ask(second, 'put', ...LARGE)).toBe(`put ${LARGE[0]}`);
      second.kill();
      await second.ended;
      return true;
    });
    if (isKilled) return;
  }
}, 60_000);
