/**
 * The topics and stores of the flights example, by themselves: the pipeline, the loader and the report all import them.
 *
 * Flights and airports are joined by the airport's code, so both topics have the same keys, the same codec for them and the
 * same number of partitions: then a flight and the airport it leaves from always meet in one actor.
 */
import { compactedTopic, store, topic } from '@stoplog/core';
import { z } from 'zod';

/** `ORD`: the IATA code of an airport. */
const Code = z.string();
/** `ORD-LAX` */
const Route = z.string();

const Flight = z.object({
  destination: Code,
  /** In minutes, on arrival; below zero when the flight was early. */
  delay: z.int(),
  /** In miles. */
  distance: z.int(),
});
const Airport = z.object({ name: z.string(), city: z.string(), state: z.string(), country: z.string() });

/** Count and sum, both whole numbers: their mean is exact, whatever the order of the flights. */
const Delays = z.object({ flights: z.int(), minutes: z.int() });
const AirportDelays = Delays.extend({ airport: z.string() });

export type Flight = z.output<typeof Flight>;
export type Airport = z.output<typeof Airport>;
export type Delays = z.output<typeof Delays>;
export type AirportDelays = z.output<typeof AirportDelays>;

/** The number of partitions of every topic: six actors may work on each task. */
export const PARTITIONS = 6;

/** Keyed by the airport they leave from; a record's timestamp is the scheduled departure. */
export const flights = topic('flights', { key: Code, value: Flight, partitions: PARTITIONS, codec: { key: 'string' } });
export const airports = compactedTopic('airports', { key: Code, value: Airport, partitions: PARTITIONS, codec: { key: 'string' } });
export const flightsByRoute = topic('flights-by-route', { key: Route, value: Flight, partitions: PARTITIONS, codec: { key: 'string' } });

export const airportDelays = compactedTopic('airport-delays', { key: Code, value: AirportDelays, partitions: PARTITIONS, codec: { key: 'string' } });
export const routeDelays = compactedTopic('route-delays', { key: Route, value: Delays, partitions: PARTITIONS, codec: { key: 'string' } });

export const delaysOfAirport = store('delays-of-airport', { key: Code, value: AirportDelays });
export const delaysOfRoute = store('delays-of-route', { key: Route, value: Delays });
