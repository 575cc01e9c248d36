/** Delays of flights by their airport: the values are parsed, and the store has two numbers for each key. VERSION chooses the version of the store. */
import { store, topic } from '@stoplog/core';
import { pipeline, stream } from '@stoplog/runtime';
import { z } from 'zod';

export const PARTITIONS = 2;
const Key = z.string();
export const flights = topic('flights', { key: Key, value: z.object({ destination: z.string(), delay: z.int(), distance: z.int() }), partitions: PARTITIONS });
export const delays = store('delays', {
  key: Key,
  value: z.object({ flights: z.int(), minutes: z.int() }),
  version: Number(new URL(import.meta.url).searchParams.get('version') ?? 1),
});

export default pipeline(
  'delays',
  stream(flights).fold(delays, {
    init: () => ({ flights: 0, minutes: 0 }),
    update: (sum, { delay }) => ({ flights: sum.flights + 1, minutes: sum.minutes + delay }),
  }),
);
