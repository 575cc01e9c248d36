/** The port to targets outside the log. Declared beside `Sink`, which a pipeline holds as a value. */
export type { SinkBatch, SinkRecord, SinkStart, SinkWriter } from '../pure/topic/sink-writer.ts';
