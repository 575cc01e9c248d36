/**
 * `STOPLOG_SCHEMA`, in its four shapes: a value that does not parse, one that cannot be encoded, bytes that cannot be
 * decoded, and a schema that its codec cannot carry (carries.ts). Each names owner, side and path.
 */
import type { z } from 'zod';
import { StoplogError } from '../errors.ts';
import type { CodecName, Owner } from './codec.ts';

export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
/** A long array may fail in every element; facts that cross a thread stay small. */
const MAX_ISSUES = 20;

/** Runs the schema: the one place where a value from outside becomes one of ours. */
export const parseWith = (schema: z.ZodType, input: unknown, owner: Owner): unknown => {
  let result: z.ZodSafeParseResult<unknown>;
  try {
    result = schema.safeParse(input);
  } catch (cause) {
    throw unparsable(owner, cause);
  }
  if (result.success) return result.data;
  throw unfit(owner, result.error.issues);
};

const unfit = ({ kind, name, side }: Owner, found: readonly z.core.$ZodIssue[]): StoplogError => {
  const issues: Issue[] = found.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path: path.map(segment), message }));
  const first = issues[0] ?? { path: [], message: 'Invalid input' };
  const more = found.length > 1 ? ` (first of ${found.length} issues)` : '';
  return new StoplogError(
    'STOPLOG_SCHEMA',
    { [kind]: name, side, path: pathText(first.path), issues, count: found.length },
    `a ${side} for ${kind} '${name}' does not parse: ${first.message}${more}; correct it at ${place(side, first.path)}`,
  );
};

/** The schema's own code threw, or is asynchronous: parsing is synchronous, it happens once per record. */
const unparsable = ({ kind, name, side }: Owner, cause: unknown): StoplogError => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoplogError(
    'STOPLOG_SCHEMA',
    { [kind]: name, side, path: '', issues: [{ path: [], message: why }], count: 1 },
    `the ${side} schema of ${kind} '${name}' threw instead of parsing: ${why}; make its refinements and transforms synchronous and let them report issues`,
    { cause },
  );
};

export const cannotEncode = ({ kind, name, side }: Owner, codec: CodecName, path: Issue['path'], what: string, remedy: string, cause?: unknown): StoplogError =>
  new StoplogError(
    'STOPLOG_SCHEMA',
    { [kind]: name, side, codec, path: pathText(path), issues: [{ path, message: what }] },
    `a ${side} for ${kind} '${name}' cannot be written with the ${codec} codec: ${what} at ${place(side, path)}; ${remedy}`,
    cause === undefined ? undefined : { cause },
  );

export const cannotDecode = ({ kind, name, side }: Owner, codec: CodecName, cause: unknown): StoplogError => {
  const why = cause instanceof Error ? cause.message : String(cause);
  return new StoplogError(
    'STOPLOG_SCHEMA',
    { [kind]: name, side, codec, path: '', issues: [{ path: [], message: why }] },
    `a ${side} in ${kind} '${name}' is not ${codec} (${why}): declare the codec it was written with`,
    { cause },
  );
};

/** `lines[0].qty`; a name that is no word stands in brackets, as JavaScript has it. */
export const pathText = (path: Issue['path']): string =>
  path.reduce<string>(
    (text, part) =>
      typeof part === 'number'
        ? `${text}[${part}]`
        : /^[A-Za-z_$][\w$]*$/.test(part)
          ? text === ''
            ? part
            : `${text}.${part}`
          : `${text}[${JSON.stringify(part)}]`,
    '',
  );
const place = (side: Owner['side'], path: Issue['path']): string => (path.length === 0 ? `the ${side} itself` : pathText(path));
const segment = (part: PropertyKey): string | number => (typeof part === 'symbol' ? String(part) : part);
