/**
 * Encodes equal values as equal texts: JSON with the names of each object in order of their code units.
 *
 * A key is its bytes. `{a, b}` and `{b, a}` are equal to the code that made them, so they must be one key: in one partition,
 * with one value in a store. `JSON.stringify` writes names in the order in which they were assigned.
 */
export const canonicalJson = (value: unknown): string => {
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if (Array.isArray(value)) return `[${Array.from(value, canonicalJson).join(',')}]`;
  const entries = value as Readonly<Record<string, unknown>>;
  let text = '{';
  for (const name of Object.keys(entries).sort()) {
    const member = entries[name];
    if (member === undefined) continue;
    text += `${text.length === 1 ? '' : ','}${JSON.stringify(name)}:${canonicalJson(member)}`;
  }
  return `${text}}`;
};

/** The same order for codecs that write objects themselves; only plain objects and arrays are rebuilt. */
export const inOrder = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(inOrder);
  if (typeof value !== 'object' || value === null || !isPlain(value)) return value;
  const entries = value as Readonly<Record<string, unknown>>;
  return Object.fromEntries(
    Object.keys(entries)
      .sort()
      .map((name) => [name, inOrder(entries[name])]),
  );
};

/** Made by `{}` or without a prototype: nothing is lost when only its own properties are kept. */
export const isPlain = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  return prototype === Object.prototype || prototype === null;
};
