/**
 * `@stoplog/core/testing/memory`: the log in memory without the suite of promises, so without vitest. The testing
 * entries of other packages run over it, and their users may have another test runner.
 */
export { MemoryDisk, type MemoryChange, type MemoryDiskOptions, type MemoryGroupState, type MemoryMember } from './memory-disk.ts';
export { memoryLog, type MemoryLogOptions } from './memory-log.ts';
export type { Receipt } from './memory-journal.ts';
export { MemoryPart, type PartWrites } from './memory-part.ts';
export type { KeptBatch, MemoryPartition, MemoryTopic } from './memory-partition.ts';
