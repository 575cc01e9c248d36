/**
 * The errors that refuse an append, in the same words for every log.
 */
import { StoplogError } from '../errors.ts';
import type { GroupPartition } from '../group/group-partition.ts';
import type { ProducerIncarnation, ProducerStamp } from './producer.ts';

/** A newer incarnation of the producer has been opened, or the log has forgotten the producer. */
export const producerFenced = (name: string | undefined, { epoch }: Pick<ProducerIncarnation, 'epoch'>, current: number | undefined): StoplogError =>
  new StoplogError(
    'STOPLOG_FENCED',
    { producer: name, epoch, current },
    current === undefined
      ? `this producer has been silent for so long that it was forgotten: nothing of this was kept. Open it again with log.producer(…)`
      : `producer '${name}' was taken over (epoch ${current}, this one has ${epoch}): nothing of this was kept. Give each process that appends a producer of its own name, or let this one end`,
  );

/** The batch is not the next one, and none of the five that are remembered. */
export const outOfSequence = (name: string, { topic, partition }: GroupPartition, { sequence, epoch }: ProducerStamp, expected: number): StoplogError =>
  new StoplogError(
    'STOPLOG_SEQUENCE',
    { producer: name, topic, partition, epoch, sequence, expected },
    `producer '${name}' sends sequence ${sequence} to ${topic}[${partition}], and ${expected} is next: ` +
      (sequence < expected ? 'it was appended before' : 'the records between them are missing') +
      '. Nothing of this was kept; repeat what failed in its order, or open the producer again with log.producer(…)',
  );

/** A conditional append whose partition has grown since the caller read its end. */
export const endMoved = ({ topic, partition }: GroupPartition, expectedEnd: bigint, end: bigint): StoplogError =>
  new StoplogError(
    'STOPLOG_END_MOVED',
    { topic, partition, expectedEnd, end },
    `${topic}[${partition}] ends at ${end}, and this append expects ${expectedEnd}: nothing of it was kept. Read up to the end, decide again, and append with the end you have seen`,
  );
