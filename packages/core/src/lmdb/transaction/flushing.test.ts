/** A process that dies in a flush disturbs no other, and the first one that is alone afterwards flushes after its transactions again. */
import { expect, test } from 'vitest';
import { start, withFolder, type Child } from '../fixtures/child.ts';
import { newestCommit } from '../folder/slack.ts';

/** More bytes than the disk writes while a signal is sent. */
const SLOW = [12, 8_000_000] as const;
/** More pages than LMDB flushes without its write lock. */
const LARGE = [60_000, 200] as const;
const ATTEMPTS = 5;

/** The answer of the child, line for line. */
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
/** Kills the child while it flushes its commit; false when the flush had already ended. */
const killInFlush = async (child: Child, path: string): Promise<boolean> => {
  const before = newestCommit(path);
  child.process.stdin!.write(`put ${SLOW.join(' ')}\n`);
  while (newestCommit(path) === before) await new Promise((resolve) => setImmediate(resolve));
  child.kill();
  const { signal, lines } = await child.ended;
  return signal === 'SIGKILL' && !lines.some((line) => line.startsWith('put'));
};

test('a process killed while it flushes breaks no process that commits beside it or after it', async () => {
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
      // The process is alone now, and the flush lock of the first one is still held by a dead process.
      expect(await ask(second, 'look')).toBe('after');
      expect(await ask(second, 'put', ...LARGE)).toBe(`put ${LARGE[0]}`);
      second.kill();
      await second.ended;
      return true;
    });
    if (isKilled) return;
  }
}, 60_000);
