/**
 * Where a reset puts a group: a target becomes a plan, one line per partition, and the plan is what is carried out.
 *
 * Making the plan changes nothing and needs nobody's leave. Each line says where the group stands and where it will, and
 * a log carries the lines out only while they are still true: `from` is compared where the positions are kept. A target
 * outside the log is moved to its nearer end, and the line says so.
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
/** What the plan must know of a partition. */
export interface ResetPlace {
  readonly topic: string;
  readonly partition: number;
  /** Where the group stands; undefined when it never committed there: then it reads from the start. */
  readonly stands: bigint | undefined;
  readonly start: bigint;
  readonly end: bigint;
  /** The first offset at or after the time of the target; asked of the log only when the target has one. */
  readonly atTime?: bigint | undefined;
}
export interface ResetLine {
  readonly topic: string;
  readonly partition: number;
  readonly from: bigint | undefined;
  readonly to: bigint;
  /** Records passed over; below zero, records read again. A group that never committed moves from the start. */
  readonly moves: bigint;
  /** Which end of the log held the target back. */
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
        `the file names ${name(position)}, which is not among what is reset: leave that line out, or name its topic with --topic`,
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

/** `orders,0,42`, a line for each partition: what `parsePositions` takes back, and other tools of the trade too. */
export const positionsText = (positions: readonly FilePosition[]): string =>
  positions.map(({ topic, partition, offset }) => `${topic},${partition},${offset}\n`).join('');

/** Blank lines and a line of headings are passed over. */
export const parsePositions = (text: string): readonly FilePosition[] => {
  const positions: FilePosition[] = [];
  // Line after line, and not all at once: a file of line ends alone would take nine times its bytes.
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
/** So much of a line is told: the whole file may be one. */
const TOLD = 200;
