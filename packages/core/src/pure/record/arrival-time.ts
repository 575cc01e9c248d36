/**
 * Gives every record of a batch one time: the time of its append. Kafka: LogAppendTime.
 *
 * A record's time is stored as a step from the previous record's, so a batch whose records have equal times (as a producer
 * that knows the topic makes them) has its time in the header alone, and stamping writes two numbers and a checksum. Any
 * other batch is rebuilt.
 */
import { headerTimes, TIME, TIME_STEP } from './batch-layout.ts';
import { BatchBuilder } from './batch-builder.ts';
import { openBatch } from './batch.ts';
import type { BatchView } from './batch-view.ts';

/** The batch with the time; in place where that is possible. A damaged batch throws `STOPLOG_LOG_CORRUPT`. */
export const stampTime = (bytes: Uint8Array, time: number, builder: BatchBuilder = new BatchBuilder()): Uint8Array => {
  const view = openBatch(bytes);
  if (view.count === 0) return bytes;
  if (saysNoTimes(view)) {
    headerTimes(bytes, time);
    return bytes;
  }
  view.rewind();
  builder.reset();
  while (view.next()) builder.appendAt(view.offsetDelta, view.key(), view.value(), time, view.headers());
  return builder.finish(view.lastOffsetDelta, view.deleteHorizon);
};

/** True when no record has a time, or a step, of its own. */
const saysNoTimes = (view: BatchView): boolean => {
  for (;;) {
    const attributes = view.bytes[view.at]!;
    if (!view.next()) return true;
    if ((attributes & (TIME | TIME_STEP)) !== 0) return false;
  }
};
