/**
 * A process that shares the flagship with others and does nothing else, until SIGTERM.
 *
 *   member.child.js FOLDER SESSION_MS
 *
 * Prints running, and ended. A line on standard input lets it settle: it prints settled.
 */
import { seconds } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';

const [folder, sessionMs] = process.argv.slice(2) as [string, string];
const app = await run(new URL('./flagship.pipeline.js', import.meta.url), {
  log: lmdb(folder),
  threads: 1,
  session: seconds(Number(sessionMs) / 1_000),
  logger: 'none',
  signals: true,
});
console.log('running');
process.stdin.once('data', () => void app.settled().then(() => console.log('settled')));
await app.finished;
console.log('ended');
process.stdin.destroy();
