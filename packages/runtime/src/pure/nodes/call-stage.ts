/**
 * Where a task waits: between reading a record and handing it to the functions behind.
 *
 * The actor calls `runOf` when it reads a record, and sets `result` before it emits that record. So between two topics
 * everything is still one synchronous call, and a store is never seen half way through a record.
 */
import { assert } from '@stoplog/core/kit';
import type { Calls, StreamNode } from './node.ts';
import type { AnyRecord } from './record.ts';

export class CallStage {
  readonly topic: string;
  readonly concurrency: number;
  readonly #call: Calls['call'];
  /** The result that belongs to the record in progress. */
  result: unknown;

  constructor(input: StreamNode, { concurrency, call }: Calls) {
    assert(input.reads !== undefined, 'a verb that calls reads a topic, and no other verb');
    this.topic = input.reads.topic.name;
    this.concurrency = concurrency;
    this.#call = call;
  }
  runOf(record: AnyRecord): (signal: AbortSignal) => unknown {
    return (signal) => this.#call(record, signal);
  }
}
