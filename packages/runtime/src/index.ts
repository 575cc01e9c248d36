/** `@stoplog/runtime`: pipelines as values, and `run`, which starts a pipeline. */
export type { DeepReadonly } from './pure/pipeline/deep-readonly.ts';
export { stream, type Fold, type Rekeyed, type StateView, type Stream } from './pure/pipeline/stream.ts';
export { table, type Change, type Table } from './pure/pipeline/table.ts';
export { source, type Arrivals } from './pure/pipeline/arrivals.ts';
export type { Ending, Flow } from './pure/pipeline/flow.ts';
export { pipeline, type Pipeline, type PipelineSpec } from './pure/pipeline/pipeline.ts';
export { run } from './shell/start.ts';
export type { RunOptions } from './shell/run.ts';
export type { AppEvent } from './pure/host/app-event.ts';
export type { EventStream } from './shell/status/events.ts';
export type { Logger, Logging } from './shell/logger.ts';
export type { App } from './shell/app.ts';
export type { CleaningStatus, DroppedRecords, FailedPartition, RetriedPartition, Status, StatusStream, TaskStatus } from './shell/status/status.ts';
export type { HistoryOptions } from './shell/history.ts';
export type { StoreReader } from './shell/stores.ts';
