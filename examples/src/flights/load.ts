/**
 * Appends both files to their topics, and resumes where an earlier run stopped.
 *
 * Rows go to the log in the order of the file, so a partition that holds n records holds the first n of its rows. No other
 * state is needed: read where each partition ends, skip that many of its rows, and append the rest. That is exact after any
 * end, Ctrl-C or `kill -9`.
 */
import { partitionOf, type DeclaredTopic, type LogClient, type NewRecord } from '@stoplog/core';
import type { Stage } from './progress.ts';
import { readAirports } from './read-airports.ts';
import type { FlightsFile } from './read-flights.ts';
import { airports, flights, PARTITIONS } from './topics.ts';

/** Returns how many were missing. */
export const loadAirports = async (log: LogClient, signal: AbortSignal): Promise<number> => {
  const missing = [...missingFrom(await readAirports(), await held(log, airports))];
  if (missing.length > 0) await log.append(airports, missing, { signal });
  return missing.length;
};

/** The number of flights in the log. */
export const countFlights = async (log: LogClient): Promise<number> => sum(await held(log, flights));

/** Appends the first `limit` flights that are not in the log; each group is durable before the next is read. */
export const loadFlights = async (log: LogClient, file: FlightsFile, limit: number, stage: Stage, signal: AbortSignal): Promise<void> => {
  const remaining = await held(log, flights);
  let done = sum(remaining);
  for await (const group of file.groups(limit)) {
    await log.append(
      flights,
      missingFrom(group, remaining, () => stage.at(++done)),
      { signal },
    );
    signal.throwIfAborted();
  }
};

const held = async (log: LogClient, topic: DeclaredTopic): Promise<number[]> => (await log.ends(topic)).map(Number);
const sum = (numbers: readonly number[]): number => numbers.reduce((total, n) => total + n, 0);

/** Skips the first `held[p]` records of each partition p, counting `held` down, and passes the others on. */
function* missingFrom<V>(records: Iterable<NewRecord<string, V>>, held: number[], passed: () => void = () => {}): Iterable<NewRecord<string, V>> {
  for (const record of records) {
    const partition = partitionOf(Buffer.from(record.key), PARTITIONS);
    const left = held[partition] ?? 0;
    if (left > 0) held[partition] = left - 1;
    else {
      passed();
      yield record;
    }
  }
}
