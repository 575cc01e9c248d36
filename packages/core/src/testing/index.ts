/**
 * `@stoplog/core/testing`: the simplest Log that keeps the promises, a clock that is moved by hand, and what simulations need
 * of groups and batches. The suite of promises is an entry of its own, `@stoplog/core/testing/contract`: it alone needs vitest.
 */
export { MemoryDisk, type MemoryChange, type MemoryDiskOptions, type MemoryGroupState, type MemoryMember } from './memory-disk.ts';
export type { Receipt } from './memory-journal.ts';
export { MemoryPart, type PartWrites } from './memory-part.ts';
export type { KeptBatch, MemoryPartition, MemoryTopic } from './memory-partition.ts';
export { memoryLog, type MemoryLogOptions } from './memory-log.ts';
export { simClock, SimClock, type Clock } from './sim-clock.ts';
export { step as sessionStep, type Watching } from '../pure/group/session.ts';
export { inspectHeader } from '../pure/record/batch.ts';
export { stampTime } from '../pure/record/arrival-time.ts';
