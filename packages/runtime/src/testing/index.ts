/**
 * `@stoplog/runtime/testing`: a pipeline in a test, without threads, promises or waiting: step by step (`drive`), and under all kinds
 * of faults (`simulate`); and a random generator by a seed, for your own tests.
 */
export { Chance } from './chance.ts';
export { drive } from './drive.ts';
export type { DrivenStore, Driver, DriveOptions, SentRecord } from './driver.ts';
export { simulate, type Simulated, type SimulatedInput, type SimulatedRecord, type SimulateOptions } from './simulate.ts';
export { COUNTERS, type Counter, type Counters } from './simulation-counters.ts';
export { SimulationFailed } from './simulation-failed.ts';
export type { Fault, Faults } from './simulation-faults.ts';
export { seeds } from './seeds.ts';
