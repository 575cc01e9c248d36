/**
 * Why an append is refused where it is made: what every log says, in the same words.
 */
import { StoplogError } from '../errors.ts';
import type { ProducerLife, ProducerStamp } from './producer.ts';

interface Place {
  readonly topic: string;
  readonly partition: number;
}

/** Another life of the producer has begun, or it was forgotten. */
export const producerFenced = (name: string | undefined, { epoch }: Pick<ProducerLife, 'epoch'>, current: number | undefined): StoplogError =>
  new StoplogError(
    'STOPLOG_FENCED',
    { producer: name, epoch, current },
    current === undefined
      ? `this producer has been silent for so long that it was forgotten: nothing of this was kept. Take it anew with log.producer(…)`
      : `producer '${name}' was taken over (epoch ${current}, this one has ${epoch}): nothing of this was kept. Give each process that appends a producer of its own name, or let this one end`,
  );

/** A batch that is not the next one, and none of those that are remembered. */
export const outOfSequence = (name: string, { topic, partition }: Place, { sequence, epoch }: ProducerStamp, expected: number): StoplogError =>
  new StoplogError(
    'STOPLOG_SEQUENCE',
    { producer: name, topic, partition, epoch, sequence, expected },
    `producer '${name}' comes to ${topic}[${partition}] with sequence ${sequence}, and ${expected} is next: ` +
      (sequence < expected ? 'it was appended before' : 'the records between them never came') +
      '. Nothing of this was kept; repeat what failed in its order, or take the producer anew with log.producer(…)',
  );

/** A conditional append that came too late. */
export const endMoved = ({ topic, partition }: Place, expectedEnd: bigint, end: bigint): StoplogError =>
  new StoplogError(
    'STOPLOG_END_MOVED',
    { topic, partition, expectedEnd, end },
    `${topic}[${partition}] ends at ${end}, and this append expects ${expectedEnd}: nothing of it was kept. Read up to the end, decide again, and append with the end you have seen`,
  );
