/**
 * Runs one version of the pipeline, rebuilding its store where another one serves, and waits to be killed.
 *
 *   app.child.js FOLDER       VERSION=1 or 2
 *
 * Prints running; rebuilt or failed CODE for the rebuild; settled on request (a line on standard input), and then closes and prints ended.
 */
import { once } from 'node:events';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';

const [folder] = process.argv.slice(2) as [string];
const app = await run(new URL('./versions.pipeline.js', import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none' });
console.log('running');
app.events.subscribe((event) => {
  if (event.type === 'rebuilt') console.log('rebuilt');
  if (event.type === 'rebuild-failed') console.log(`failed ${(event.error as { readonly code?: string }).code ?? event.error.message} ${event.error.message}`);
  if (event.type === 'fatal') console.log(`fatal ${event.error.message}`);
});
await once(process.stdin, 'data');
process.stdin.destroy();
await app.settled();
console.log('settled');
await app[Symbol.asyncDispose]();
console.log('ended');
