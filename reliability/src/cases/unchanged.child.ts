/** unchanged.child.js FOLDER: runs the pipeline once, until all is read. */
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';

const app = await run(new URL('./unchanged.pipeline.js', import.meta.url), { log: lmdb(process.argv[2]!), threads: 1, logger: 'none' });
await app.settled();
const restarts = await new Promise<number>((resolve) => app.status.subscribe((status) => resolve(status.restarts)));
console.log(`restarts ${restarts}`);
await app[Symbol.asyncDispose]();
