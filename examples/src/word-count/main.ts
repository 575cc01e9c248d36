/** Runs the pipeline, appends three lines, and prints the counts. */
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { countByWord, lines } from './word-count.pipeline.js';

await using app = await run(new URL('./word-count.pipeline.js', import.meta.url), { log: lmdb(process.argv[2] ?? './data/word-count') });

await app.log.append(lines, [
  { key: 'a', value: 'A stop log holds back the flow' },
  { key: 'b', value: 'A log meters the flow' },
  { key: 'c', value: 'The flow is yours' },
]);
await app.settled();

for await (const [word, count] of app.store(countByWord).range()) console.log(`${word} ${count}`);
