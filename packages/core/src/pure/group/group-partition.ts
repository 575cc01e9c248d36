/**
 * The places that a group assigns to its members, and the units that tie them together.
 *
 * A *place* is a partition of a topic or of a source. A source is named `source:NAME`, since no topic's name has a colon. A
 * *unit* is assigned to one member as a whole: the inputs of a task at one partition, which are read together, or one
 * partition of a source.
 */
export interface GroupPartition {
  readonly topic: string;
  readonly partition: number;
}
export type Unit = readonly GroupPartition[];
/** A place with the epoch in which it was assigned. */
export interface AssignedPartition extends GroupPartition {
  readonly epoch: number;
}

const SOURCE = 'source:';
/** The place of a source's partition. Its position is the source's own number, 0 before the first commit. */
export const sourcePartition = (name: string, partition = 0): GroupPartition => ({ topic: `${SOURCE}${name}`, partition });
export const isSource = (topic: string): boolean => topic.startsWith(SOURCE);

/** `orders[3]`, `source:clicks`, `source:clicks[3]`: the first partition of a source goes by the source's name alone. */
export const partitionName = ({ topic, partition }: GroupPartition): string => (isSource(topic) && partition === 0 ? topic : `${topic}[${partition}]`);
/** Equal for the same places in any order. */
export const unitName = (unit: Unit): string => namesOf(unit).unit;
/** Equal for all units of one task, which differ in their partitions only. */
export const taskName = (unit: Unit): string => namesOf(unit).task;

/** A step needs these names many times, and a unit never changes, so each name is computed once. */
const known = new WeakMap<Unit, { readonly unit: string; readonly task: string }>();
const namesOf = (unit: Unit): { readonly unit: string; readonly task: string } => {
  let names = known.get(unit);
  if (names === undefined) {
    const topics = unit.map(({ topic }) => topic);
    known.set(unit, (names = { unit: unit.map(partitionName).sort().join(' '), task: topics.sort().join(' ') }));
  }
  return names;
};

export const comparePartitions = (a: GroupPartition, b: GroupPartition): number =>
  a.topic === b.topic ? a.partition - b.partition : a.topic < b.topic ? -1 : 1;
