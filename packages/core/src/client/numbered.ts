/**
 * What a client offers over a log that numbers appends: idempotent producers and conditional appends (port/numbered-log.ts).
 *
 * The types say it first: `openLog(lmdb(…))` gives a `NumberedClient`, and a log without these capabilities a `LogClient`. A
 * program that was compiled without types, or through a cast, is refused when it asks, before anything is appended.
 */
import type { Capability, Log } from '../port/log.ts';
import type { NumberedLog } from '../port/numbered-log.ts';
import { StoplogError } from '../pure/errors.ts';
import type { Parses } from '../pure/topic/topic.ts';
import type { Appended, AppendOptions, NewRecord } from './appending.ts';
import type { LogClient } from './client.ts';
import type { ExpectedEnd } from './expected-end.ts';
import type { Producer } from './producer.ts';

export interface NumberedAppendOptions extends AppendOptions {
  /**
   * A conditional append: appends all records in one commit of at most 64 MiB if the partition ends at this offset; otherwise
   * appends nothing and throws `STOPLOG_END_MOVED` with both numbers. Give one offset when all records go to one partition,
   * or one for each partition, as `ends` returns them; partitions without a record are not compared.
   */
  readonly expectedEnd?: ExpectedEnd;
}

export interface NumberedClient extends LogClient {
  append<RK, RV>(
    topic: Parses<RK, RV>,
    records: Iterable<NewRecord<NoInfer<RK>, NoInfer<RV>>> | AsyncIterable<NewRecord<NoInfer<RK>, NoInfer<RV>>>,
    options?: NumberedAppendOptions,
  ): Promise<Appended>;
  /**
   * Opens an idempotent producer: it appends each record once, even when an answer was lost and the append is repeated. Each
   * process that appends has a name of its own: opening a name fences its earlier incarnation (`STOPLOG_FENCED`). Given a
   * producer of a closed log, the new producer takes over its unfinished append. The log forgets a producer after seven days
   * without an append.
   *
   * @example
   * const producer = await log.producer('orders-api');
   * await producer.append(orders, [{ key: 'o1', value: { cents: 4_200 } }]);
   */
  producer(of: string | Producer): Promise<Producer>;
}

/** The log with its numbers; refuses one that has none, in the name of what was asked for. */
export const numberedLog = (log: Log, capability: Capability): NumberedLog => {
  if (typeof (log as Partial<NumberedLog>).producer === 'function') return log as NumberedLog;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { capability },
    capability === 'producers'
      ? "this log keeps no producers, so log.producer(…) cannot promise each record once: append with log.append(…), which may repeat records after an error, or keep the topic in a log that has producers, such as lmdb('./data')"
      : "this log cannot compare where a partition ends, so it takes no expectedEnd, and nothing was appended: append without one, or keep the topic in a log that compares, such as lmdb('./data')",
  );
};
