/** `@stoplog/core/testing/contract`: the promises of a log and of a sink as suites of vitest. */
export { logContract, numberedLogContract, type LogUnderTest } from './log-contract.ts';
export { sinkContract, type SinkUnderTest, type SinkValue } from './sink-contract.ts';
export type { NotKept } from './contract/suite.ts';
