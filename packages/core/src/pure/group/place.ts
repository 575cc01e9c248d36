/**
 * What a group hands out: places, tied together in units.
 *
 * A *place* is a partition of a topic, or a source, which is a topic that nobody wrote: `source:NAME`, partition 0. A colon is
 * in no topic's name. A *unit* is what one member must have as a whole: the inputs of a task at one partition, for they
 * are read together, and one source.
 */
export interface Place {
  readonly topic: string;
  readonly partition: number;
}
export type Unit = readonly Place[];
/** A place, and the epoch in which it was given. */
export interface Holding extends Place {
  readonly epoch: number;
}

const SOURCE = 'source:';
/** Where a task stands that reads nothing from the log: always at 0, with a move from 0 to 0 in each of its commits. */
export const sourcePlace = (name: string): Place => ({ topic: `${SOURCE}${name}`, partition: 0 });
export const isSource = (topic: string): boolean => topic.startsWith(SOURCE);

/** `orders[3]`; a source is shown as it is named. */
export const placeName = ({ topic, partition }: Place): string => (isSource(topic) ? topic : `${topic}[${partition}]`);
/** The same for the same places, in whichever order they come. */
export const unitName = (unit: Unit): string => namesOf(unit).unit;
/** Units of one task differ in their partitions only. */
export const taskName = (unit: Unit): string => namesOf(unit).task;

/** A step asks for them many times, and a unit never changes. */
const known = new WeakMap<Unit, { readonly unit: string; readonly task: string }>();
const namesOf = (unit: Unit): { readonly unit: string; readonly task: string } => {
  let names = known.get(unit);
  if (names === undefined) {
    const topics = unit.map(({ topic }) => topic);
    known.set(unit, (names = { unit: unit.map(placeName).sort().join(' '), task: topics.sort().join(' ') }));
  }
  return names;
};

export const comparePlaces = (a: Place, b: Place): number => (a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1);
