/**
 * Checks whether a reader's schema fits the values that a writer's schema describes. Both are JSON schemas, because the older one
 * may be known from the log alone.
 *
 * Reading trusts the bytes (codec.ts), so a reader typed `number` would get a stored string. The comparison covers the contents
 * of a TypeScript type: the kinds of values, the names of fields, and the fields that may be missing. Bounds, patterns and formats
 * are not compared: they refuse values at the append, and do not change values that are read. A schema without a JSON form, `{}`,
 * fits everything, as reader and as writer. Fields that only the writer knows are no difference, because the reader ignores them.
 */
type Json = Readonly<Record<string, unknown>>;

export interface Mismatch {
  /** The path in the value: `.address.zip`; empty for the value itself. */
  readonly path: string;
  readonly written: unknown;
  readonly read: unknown;
}

/** The first path at which a value by the writer's schema may not fit the reader's; undefined when all fit. */
export const mismatchOf = (read: unknown, written: unknown): Mismatch | undefined => new Comparison(read, written).compare(read, written, '');

class Comparison {
  readonly #read: unknown;
  readonly #written: unknown;
  /** Pairs of schemas under comparison: a schema that refers to itself counts as fitting there. */
  readonly #open = new Map<unknown, Set<unknown>>();
  constructor(read: unknown, written: unknown) {
    this.#read = read;
    this.#written = written;
  }

  compare(reader: unknown, writer: unknown, path: string): Mismatch | undefined {
    const read = resolved(reader, this.#read);
    const written = resolved(writer, this.#written);
    if (isOpen(read) || isOpen(written)) return undefined;
    const under = this.#open.get(read) ?? new Set();
    if (under.has(written)) return undefined;
    this.#open.set(read, under.add(written));
    const found = this.#inside(read as Json, written as Json, path);
    under.delete(written);
    return found;
  }

  #inside(read: Json, written: Json, path: string): Mismatch | undefined {
    const differ: Mismatch = { path, written, read };
    const alternatives = alternativesOf(written);
    if (alternatives !== undefined) return first(alternatives, (one) => this.compare(read, one, path));
    const options = alternativesOf(read);
    if (options !== undefined) return options.some((one) => this.compare(one, written, path) === undefined) ? undefined : differ;
    if (Array.isArray(read['allOf'])) return first(read['allOf'], (one) => this.compare(one, written, path));
    if (Array.isArray(written['allOf'])) return written['allOf'].some((one) => this.compare(read, one, path) === undefined) ? undefined : differ;
    if (Array.isArray(read['enum'])) return valuesOf(written)?.every((value) => (read['enum'] as unknown[]).includes(value)) === true ? undefined : differ;
    if ('const' in read) return valuesOf(written)?.every((value) => value === read['const']) === true ? undefined : differ;
    const [to, from] = [typeOf(read), typeOf(written)];
    const [named, was] = [read['x-type'], written['x-type']];
    // A missing `x-type` proves nothing when a schema has another origin, such as a tool's own JSON schema.
    if (named !== was && (named ?? to) !== undefined && (was ?? from) !== undefined) return differ;
    if (to !== undefined && from !== undefined && to !== from && !(to === 'number' && from === 'integer')) return differ;
    if (to === 'object' && from === 'object') return this.#fields(read, written, path);
    if (to === 'array' && from === 'array') return this.#items(read, written, path);
    return undefined;
  }
  #fields(read: Json, written: Json, path: string): Mismatch | undefined {
    const [here, there] = [fieldsOf(read), fieldsOf(written)];
    const given = new Set(requiredOf(written));
    const missing = requiredOf(read).find((name) => !given.has(name));
    if (missing !== undefined) return { path: `${path}.${missing}`, written: there[missing], read: here[missing] };
    const named = first(
      Object.keys(here).filter((name) => name in there),
      (name) => this.compare(here[name], there[name], `${path}.${name}`),
    );
    if (named !== undefined) return named;
    const [rest, others] = [read['additionalProperties'], written['additionalProperties']];
    return isSchema(rest) && isSchema(others) ? this.compare(rest, others, `${path}[name]`) : undefined;
  }
  #items(read: Json, written: Json, path: string): Mismatch | undefined {
    const [to, from] = [read['prefixItems'], written['prefixItems']];
    if (Array.isArray(to) && Array.isArray(from)) {
      if (to.length > from.length) return { path, written, read };
      return first([...to.keys()], (i) => this.compare(to[i], from[i], `${path}[${i}]`));
    }
    if (Array.isArray(from)) return first([...from.keys()], (i) => this.compare(read['items'], from[i], `${path}[${i}]`));
    return Array.isArray(to) ? { path, written, read } : this.compare(read['items'], written['items'], `${path}[]`);
  }
}

const first = <T>(of: readonly T[], compare: (one: T) => Mismatch | undefined): Mismatch | undefined => {
  for (const one of of) {
    const found = compare(one);
    if (found !== undefined) return found;
  }
  return undefined;
};
const isSchema = (value: unknown): value is Json => typeof value === 'object' && value !== null;
const isOpen = (schema: unknown): boolean => !isSchema(schema) || Object.keys(schema).every((word) => word.startsWith('$'));
/** The schema behind references into the document that it is a part of. */
const resolved = (schema: unknown, root: unknown): unknown => {
  let at = schema;
  for (let n = 0; n < 32 && isSchema(at) && typeof at['$ref'] === 'string'; n++) {
    const steps = at['$ref'].split('/').slice(1);
    at = steps.reduce<unknown>((found, step) => (isSchema(found) ? found[step.replaceAll('~1', '/').replaceAll('~0', '~')] : undefined), root);
  }
  return at;
};
/** The alternatives of a schema: `anyOf`, `oneOf`, a list of types. */
const alternativesOf = (schema: Json): readonly unknown[] | undefined => {
  const listed = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(listed)) return listed;
  return Array.isArray(schema['type']) ? schema['type'].map((type: unknown) => ({ ...schema, type })) : undefined;
};
const valuesOf = (schema: Json): readonly unknown[] | undefined => ('const' in schema ? [schema['const']] : (schema['enum'] as unknown[] | undefined));
const typeOf = (schema: Json): unknown => {
  if (typeof schema['type'] === 'string') return schema['type'];
  const [value] = valuesOf(schema) ?? [];
  return value === undefined ? undefined : value === null ? 'null' : typeof value;
};
const fieldsOf = (schema: Json): Json => (isSchema(schema['properties']) ? schema['properties'] : {});
const requiredOf = (schema: Json): readonly string[] => (Array.isArray(schema['required']) ? schema['required'].map(String) : []);
