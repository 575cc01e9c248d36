/**
 * Plans a reset: a target becomes a plan with one line per partition, and the plan is what is applied.
 *
 * Planning changes nothing and needs no lock. Each line has the group's present and next position, and a log applies the
 * lines only while they still hold: `from` is compared with the stored position. A target outside the log is moved to its
 * nearer end, and the line says so.
 */
import { StoplogError } from '../errors.ts';

export type ResetTarget =
  | { readonly to: 'earliest' | 'latest' | 'current' }
  | { readonly to: 'offset'; readonly offset: bigint }
  /** The first record at or after a time (ms since 1970); the end where none is. */
  | { readonly to: 'time'; readonly time: number }
  | { readonly to: 'shift'; readonly by: bigint }
  /** Lines of a file: only the partitions that it names are moved. */
  | { readonly to: 'positions'; readonly positions: readonly FilePosition[] };

export interface FilePosition {
  readonly topic: string;
  readonly partition: number;
  readonly offset: bigint;
}
/** A partition as the plan needs it. */
export interface ResetPlace {
  readonly topic: string;
  readonly partition: number;
  /** The group's position; undefined when it never committed there: then it reads from the start. */
  readonly stands: bigint | undefined;
  readonly start: bigint;
  readonly end: bigint;
  /** The first offset at or after the time of the target; looked up in the log only when the target has a time. */
  readonly atTime?: bigint | undefined;
}
export interface ResetLine {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint | undefined;
  readonly to: bigint;
  /** Records skipped; below zero, records read again. A group that never committed moves from the start. */
  readonly moves: bigint;
  /** The end of the log at which the target was stopped. */
  readonly clamped: 'start' | 'end' | undefined;
}

export const planReset = (target: ResetTarget, places: readonly ResetPlace[]): readonly ResetLine[] => {
  if (target.to !== 'positions') return places.map((place) => lineFor(place, wanted(target, place)));
  const at = new Map(places.map((place) => [name(place), place]));
  const seen = new Set<string>();
  return target.positions.map((position) => {
    const place = at.get(name(position));
    if (place === undefined)
      throw new StoplogError(
        'STOPLOG_USAGE',
        { ...position },
        `the file names ${name(position)}, which this reset does not cover: leave that line out, or name its topic with --topic`,
      );
    if (seen.has(name(position)))
      throw new StoplogError('STOPLOG_USAGE', { ...position }, `the file names ${name(position)} twice: keep one line for each partition`);
    seen.add(name(position));
    return lineFor(place, position.offset);
  });
};

const wanted = (target: Exclude<ResetTarget, { readonly to: 'positions' }>, { stands, start, end, atTime }: ResetPlace): bigint => {
  switch (target.to) {
    case 'earliest':
      return start;
    case 'latest':
      return end;
    case 'current':
      return stands ?? start;
    case 'offset':
      return target.offset;
    case 'time':
      return atTime ?? end;
    case 'shift':
      return (stands ?? start) + target.by;
  }
};

const lineFor = ({ topic, partition, stands, start, end }: ResetPlace, offset: bigint): ResetLine => {
  const to = offset < start ? start : offset > end ? end : offset;
  return { topic, partition, from: stands, to, moves: to - (stands ?? start), clamped: to === offset ? undefined : offset < start ? 'start' : 'end' };
};

const name = ({ topic, partition }: { readonly topic: string; readonly partition: number }): string => `${topic}[${partition}]`;

/** `orders,0,42`, a line for each partition: the format that `parsePositions` reads, and Kafka's tools too. */
export const positionsText = (positions: readonly FilePosition[]): string =>
  positions.map(({ topic, partition, offset }) => `${topic},${partition},${offset}\n`).join('');

/** Skips blank lines and a line of headings. */
export const parsePositions = (text: string): readonly FilePosition[] => {
  const positions: FilePosition[] = [];
  // Reads line by line: splitting a file of line ends at once would take nine times its bytes.
  for (let [at, number] = [0, 1]; at <= text.length; number++) {
    const end = text.indexOf('\n', at);
    const to = end < 0 ? text.length : end;
    const position = positionIn(text.slice(at, to).trim(), number);
    if (position !== undefined) positions.push(position);
    at = to + 1;
  }
  return positions;
};
const positionIn = (line: string, number: number): FilePosition | undefined => {
  if (line === '' || (number === 1 && /^"?topic"?\s*,\s*"?partition/i.test(line))) return undefined;
  const [, topic, partition, offset] = /^"?([a-zA-Z0-9._-]{1,249})"?\s*,\s*(\d{1,9})\s*,\s*(\d{1,19})$/.exec(line) ?? [];
  if (topic !== undefined && partition !== undefined && offset !== undefined) return { topic, partition: Number(partition), offset: BigInt(offset) };
  throw new StoplogError(
    'STOPLOG_USAGE',
    { line: number, text: line.slice(0, TOLD) },
    `line ${number} of the file is no position: write topic,partition,offset, such as orders,0,42, as 'stoplog groups export' does`,
  );
};
/** The longest part of a line that an error quotes: the whole file may be one line. */
const TOLD = 200;
