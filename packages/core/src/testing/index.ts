/**
 * `@stoplog/core/testing`: the promises of a Log as a vitest suite, the simplest Log that keeps them, and a clock that
 * is moved by hand.
 */
export { logContract, type LogUnderTest } from './log-contract.ts';
export { MemoryDisk, type MemoryDiskOptions } from './memory-disk.ts';
export { memoryLog, type MemoryLogOptions } from './memory-log.ts';
export { simClock, SimClock, type Clock } from './sim-clock.ts';
