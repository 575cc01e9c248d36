/**
 * `@stoplog/runtime/testing`: a pipeline in a test, without threads, promises or waiting.
 */
export { drive } from './drive.ts';
export type { DrivenStore, Driver, DriveOptions, SentRecord } from './driver.ts';
