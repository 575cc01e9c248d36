import { describe, expect, test } from 'vitest';
import { alarm, balance, copyAndCount, customersBeside, customersFirst, enrich, levelInputs, lineInputs, payments } from './fixtures/simulated-pipelines.ts';
import { BROKEN } from './fixtures/broken-logs.ts';
import { seeds } from './seeds.ts';
import { simulate, simulateOn, type Simulated } from './simulate.ts';
import { COUNTERS, noCounts } from './simulation-counters.ts';
import type { MakeLog } from './simulation.ts';
import { SimulatedLog } from './simulated-log.ts';

const honest: MakeLog = (...made) => new SimulatedLog(...made);
/** A story of each kind by turns. */
const PLAYS: readonly ((seed: number, makeLog: MakeLog) => Simulated)[] = [
  (seed, log) => simulateOn(copyAndCount, { seed, inputs: lineInputs }, log),
  (seed, log) => simulateOn(enrich, { seed, inputs: customersFirst }, log),
  (seed, log) => simulateOn(balance, { seed, inputs: payments, orderMatters: true }, log),
  (seed, log) => simulateOn(alarm, { seed, inputs: levelInputs }, log),
  (seed, log) => simulateOn(enrich, { seed, inputs: customersBeside, orderMatters: true }, log),
];
const play = (seed: number, makeLog = honest): Simulated => PLAYS[seed % PLAYS.length]!(seed, makeLog);

describe('a thousand seeds', () => {
  test('lose nothing, double nothing, tear nothing, and have met everything that can happen', () => {
    const counters = noCounts();
    const started = performance.now();
    let steps = 0;
    for (const seed of seeds(1_000)) {
      const done = play(seed);
      steps += done.history.length;
      for (const counter of COUNTERS) counters[counter] += done.counters[counter];
    }
    console.log(performance.now() - started, steps, counters);
    for (const counter of COUNTERS) if (seeds(2).length > 1) expect(counters[counter], counter).toBeGreaterThan(0);
  });
});

describe('a log that', () => {
  test.each(Object.entries(BROKEN))('%s is found out', (_, broken) => {
    const found = Array.from({ length: 200 }, (_, seed) => seed).flatMap((seed) => {
      try {
        play(seed, broken);
        return [];
      } catch (error) {
        return [(error as Error).message.split('\n')[0]];
      }
    });
    console.log(_, found.length, [...new Set(found.map((f) => f!.slice(0, 160)))].slice(0, 6));
    expect(found.length).toBeGreaterThan(0);
  });
});
void simulate;
