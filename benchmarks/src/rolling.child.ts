/**
 * A process that shares the pipeline with others, until SIGTERM: `FOLDER [INSTANCE]`, a static member with an instance id.
 */
import { seconds } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { report } from './harness/child.ts';

const [folder = '', instanceId] = process.argv.slice(2);
const member = instanceId === undefined ? {} : { instanceId, session: seconds(30) };
const app = await run(new URL('./rolling.pipeline.js', import.meta.url), { log: lmdb(folder), threads: 1, logger: 'none', signals: true, ...member });
report('running');
await app.finished;
