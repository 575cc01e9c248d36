/** The port of what lies outside the log. Declared beside `Source`, which a pipeline holds as a value. */
export type { Arrival, ArrivalBatch, SourceReader } from '../pure/topic/source-reader.ts';
