/**
 * `@stoplog/runtime/testing`: a pipeline in a test, without threads, promises or waiting: step by step (`drive`), and under
 * everything that can happen to it (`simulate`); and chance that a seed repeats, for tests of your own.
 */
export { Chance } from './chance.ts';
export { drive } from './drive.ts';
export type { DrivenStore, Driver, DriveOptions, SentRecord } from './driver.ts';
export { simulate, type Simulated, type SimulatedInput, type SimulatedRecord, type SimulateOptions } from './simulate.ts';
export { COUNTERS, type Counter, type Counters } from './simulation-counters.ts';
export { SimulationFailed } from './simulation-failed.ts';
export type { Fault, Faults } from './simulation-faults.ts';
export { seeds } from './seeds.ts';
