/**
 * `STOPLOG_SCHEMA`, in its four shapes: a value that does not parse, one that cannot be encoded, bytes that cannot be
 * decoded, and a schema that its codec cannot carry (carries.ts). Each names owner, side and path.
 */
import type { StandardSchemaV1 } from '@standard-schema/spec';
import { StoplogError } from '../errors.ts';
import type { CodecName, Owner, Schema } from './codec.ts';
import { isZod } from './zod.ts';

export interface Issue {
  readonly path: readonly (string | number)[];
  readonly message: string;
}
/** A long array may fail in every element; facts that cross a thread stay small. */
const MAX_ISSUES = 20;

/**
 * The parser of a schema: the only function that turns a value from outside into a parsed one. A serde makes it once, since it
 * runs for every record. It calls zod's own method, which is faster than the standard's: that one may be asynchronous, and needs
 * a check for a promise.
 */
export const parserOf = (schema: Schema, owner: Owner): ((input: unknown) => unknown) =>
  isZod(schema)
    ? (input) => {
        let result;
        try {
          result = schema.safeParse(input);
        } catch (cause) {
          throw unparsable(owner, cause);
        }
        if (result.success) return result.data;
        throw unfit(owner, result.error.issues);
      }
    : (input) => {
        let result;
        try {
          result = validated(schema, input);
        } catch (cause) {
          throw unparsable(owner, cause);
        }
        if (result.issues === undefined) return result.value;
        throw unfit(owner, result.issues);
      };
const validated = (schema: Schema, input: unknown): StandardSchemaV1.Result<unknown> => {
  const result = schema['~standard'].validate(input);
  if (!(result instanceof Promise)) return result;
  result.catch(() => {});
  throw new Error('it validates asynchronously');
};

const unfit = ({ kind, name, side }: Owner, found: readonly StandardSchemaV1.Issue[]): StoplogError => {
  const issues: Issue[] = found.slice(0, MAX_ISSUES).map(({ path, message }) => ({ path: (path ?? []).map(segment), message }));
  const first = issues[0] ?? { path: [], message: 'Invalid input' };
  const more = found.length > 1 ? ` (first of ${found.length} issues)` : '';
  return new StoplogError(
    'STOPLOG_SCHEMA',
    { [kind]: name, side, path: pathText(first.path), issues, count: found.length },
    `a ${side} for ${kind} '${name}' does not parse: ${first.message}${more}; correct it at ${place(side, first.path)}`,
  );
};

/** The error for a schema that threw or is asynchronous: parsing is synchronous, because it happens once per record. */
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

/** Prints a path as `lines[0].qty`; a name that is no identifier goes into brackets, as in JavaScript. */
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
const segment = (part: PropertyKey | StandardSchemaV1.PathSegment): string | number => {
  const key = typeof part === 'object' ? part.key : part;
  return typeof key === 'symbol' ? String(key) : key;
};
