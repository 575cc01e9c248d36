/** Prints the results: the worst airports and routes, read from the stores. */
import type { App } from '@stoplog/runtime';
import pc from 'picocolors';
import { perSecond, thousands, type Rate } from './progress.ts';
import { delaysOfAirport, delaysOfRoute, type Delays } from './topics.ts';

const ALL_FLIGHTS = 3_000_000;
/** A mean of a handful of flights says little. A smaller limit applies when only some flights were loaded. */
const AIRPORT_NEEDS = 1_000;
const ROUTE_NEEDS = 100;
const WORST = 10;

export const meanDelay = ({ flights, minutes }: Delays): number => minutes / flights;

export const report = async (app: App, loaded: number): Promise<string> => {
  const needs = (flights: number): number => Math.max(1, Math.ceil((flights * loaded) / ALL_FLIGHTS));
  const names = new Map<string, string>();
  const byAirport = [];
  for await (const [code, delays] of app.store(delaysOfAirport).range()) {
    names.set(code, delays.airport);
    byAirport.push({ title: `${code}  ${delays.airport}`, ...delays });
  }
  const byRoute = [];
  for await (const [route, delays] of app.store(delaysOfRoute).range()) {
    const [origin = '', destination = ''] = route.split('-');
    byRoute.push({ title: `${route}  ${names.get(origin) ?? origin} to ${names.get(destination) ?? destination}`, ...delays });
  }
  return [...worst('airports', byAirport, needs(AIRPORT_NEEDS)), ...worst('routes', byRoute, needs(ROUTE_NEEDS))].join('\n');
};

interface Line extends Delays {
  readonly title: string;
}
const worst = (what: string, lines: readonly Line[], atLeast: number): readonly string[] => {
  const enough = lines.filter(({ flights }) => flights >= atLeast);
  const first = enough.toSorted((a, b) => meanDelay(b) - meanDelay(a)).slice(0, WORST);
  return [
    '',
    pc.bold(`The ${first.length} worst of ${lines.length} ${what} by mean delay`) +
      pc.dim(` (of the ${enough.length} with at least ${thousands(atLeast)} flights)`),
    ...first.map((line) => `${meanDelay(line).toFixed(1).padStart(6)} min  ${thousands(line.flights).padStart(8)} flights  ${line.title}`),
  ];
};

/** A line for each stage that had something to do. */
export const throughput = (stages: ReadonlyMap<string, Rate>): string => {
  const busy = [...stages].filter(([, { records }]) => records > 0);
  if (busy.length === 0) return 'Nothing was left to do: all flights were loaded and counted by an earlier run.';
  return [
    pc.bold('Throughput'),
    ...busy.map(([name, rate]) => `  ${name.padEnd(16)} ${thousands(perSecond(rate)).padStart(9)} records/s  ${(rate.ms / 1000).toFixed(1).padStart(5)} s`),
  ].join('\n');
};

export const whereToLook = (folder: string): string =>
  [
    `${pc.bold('The data')} lies in ${folder}; delete the folder to start from nothing. Look around in it:`,
    `  npx stoplog topics --log lmdb:${folder}`,
    `  npx stoplog tail airport-delays --key ORD --until-end --log lmdb:${folder}`,
    `  npx stoplog describe examples/dist/flights/flights.pipeline.js`,
  ].join('\n');
