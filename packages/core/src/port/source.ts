/** The port to origins outside the log. Declared beside `Source`, which a pipeline holds as a value. */
export type { Arrival, ArrivalBatch, PullLimit, RawArrival, SourceReader, SourceStart } from '../pure/topic/source-reader.ts';
