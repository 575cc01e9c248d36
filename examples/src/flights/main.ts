/**
 * Three million real flights through a log and a pipeline: `npm run demo`.
 *
 *     node examples/dist/flights/main.js [folder] [--limit flights]
 *
 * Ctrl-C stops it at any moment, and so does a power cut; run it again and it resumes.
 */
import { parseArgs } from 'node:util';
import { isStoplogError, openLog } from '@stoplog/core';
import { lmdb } from '@stoplog/core/lmdb';
import { run } from '@stoplog/runtime';
import { follow } from './follow.ts';
import { countFlights, loadAirports, loadFlights } from './load.ts';
import { Progress, thousands, type Rate } from './progress.ts';
import { openFlights } from './read-flights.ts';
import { report, throughput, whereToLook } from './report.ts';

/** As shells count: 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

const { values, positionals } = parseArgs({ allowPositionals: true, options: { limit: { type: 'string' } } });
const folder = positionals[0] ?? './data/flights';
const limit = values.limit === undefined ? Infinity : Number(values.limit);
if (limit !== Infinity && !(Number.isInteger(limit) && limit >= 1)) {
  console.error(`--limit ${values.limit}: give the number of flights to load, such as --limit 100000`);
  process.exit(2);
}

const place = lmdb(folder);
const progress = new Progress(process.stderr);
const stop = new AbortController();
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    if (stop.signal.aborted) process.exit(EXIT_CODES[signal]);
    progress.close();
    process.exitCode = EXIT_CODES[signal];
    stop.abort();
  });
}
const stages = new Map<string, Rate>();

/** Loads both files into their topics. Returns the number of flights to count. */
const load = async (): Promise<number> => {
  await using log = await openLog(place);
  const file = await openFlights();
  const wanted = Math.min(limit, file.rows);
  const there = await countFlights(log);
  await loadAirports(log, stop.signal);
  if (there >= wanted) return there;
  const stage = progress.stage('load flights', wanted, there);
  await loadFlights(log, file, wanted, stage, stop.signal);
  stages.set('load flights', stage.end());
  return wanted;
};

const count = async (flights: number): Promise<void> => {
  await using app = await run(new URL('./flights.pipeline.js', import.meta.url), { log: place, signal: stop.signal });
  for (const [name, rate] of await follow(app, progress, flights)) stages.set(name, rate);
  progress.close();
  console.log(await report(app, flights));
};

try {
  const flights = await load();
  await count(flights);
  const took = performance.now() / 1000;
  console.log(`\n${throughput(stages)}\n\n${thousands(flights)} flights in ${took.toFixed(1)} s.\n\n${whereToLook(folder)}`);
} catch (error) {
  progress.close();
  // Any error may follow the signal; everything committed is kept.
  if (stop.signal.aborted) console.error('Stopped. Run it again to go on from here.');
  else if (isStoplogError(error)) {
    console.error(`${error.code}  ${error.message}`);
    process.exitCode = 1;
  } else throw error;
}
