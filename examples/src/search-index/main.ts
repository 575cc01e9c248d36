/**
 * A search over 3,376 airports.
 *
 *   main.js FOLDER [--before] WORDS…      --before: with the tokenizer that was shipped first
 *
 * Appends the documents once, indexes what is not indexed yet, and answers with the airports that have all words.
 */
import { openLog, type LogClient } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { readAirports } from '../flights/read-airports.ts';
import { documents, type Document } from './documents.ts';
import { postingsAt } from './index-of.ts';
import { atSpaces, byLetters } from './tokenizers.ts';

const [folder, ...rest] = process.argv.slice(2);
const before = rest[0] === '--before';
const question = rest.slice(before ? 1 : 0).join(' ');
if (folder === undefined || question === '') {
  console.error("Name a folder and some words: node examples/dist/search-index/main.js ./data/search o'hare");
  process.exit(2);
}

/** The documents that are not in the log yet: a run that was interrupted appended a part of them. */
const load = async (log: LogClient): Promise<ReadonlyMap<string, Document>> => {
  const there = new Map<string, Document>();
  const all = await readAirports();
  // An append of no record makes the topic, if it is missing.
  await log.append(documents, []);
  for await (const records of log.read(documents, { from: 'earliest', until: 'end' }))
    for (const { key, value } of records) if (value !== null) there.set(key, value);
  const missing = all.filter(({ key }) => !there.has(key));
  await log.append(
    documents,
    missing.map(({ key, value }) => ({ key, value: { name: value!.name, city: value!.city, state: value!.state } })),
  );
  return new Map(all.map(({ key, value }) => [key, value!]));
};

const airports = await (async () => {
  await using log = await openLog(lmdb(folder));
  return await load(log);
})();
const program = before ? new URL('./search-before.pipeline.js', import.meta.url) : new URL('./search.pipeline.js', import.meta.url);
await using app = await run(program, { log: lmdb(folder), logger: 'none' });
await app.settled();
const postings = app.store(postingsAt(before ? 1 : 2));
const wanted = (before ? atSpaces : byLetters)(question);
const found = await Promise.all(wanted.map(async (word) => new Set((await postings.get(word)) ?? [])));
const hits = [...airports.keys()].filter((code) => found.every((codes) => codes.has(code))).toSorted();
console.log(`${hits.length} of ${airports.size} airports have ${wanted.map((word) => `"${word}"`).join(' and ')}`);
for (const code of hits.slice(0, 5)) console.log(`  ${code}  ${airports.get(code)!.name}, ${airports.get(code)!.city}, ${airports.get(code)!.state}`);
