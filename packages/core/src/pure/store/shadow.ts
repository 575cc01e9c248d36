/**
 * The names of a rebuild. Stores that are rebuilt lie beside the serving ones under shadow names, and so do the group that fills them and
 * the topics between its tasks; when the rebuild is adopted, both sides exchange their names.
 *
 * A shadow name is the name, `#`, and the stores of the rebuild with their versions: `by-word#by-word@2`. No declared name holds a `#`.
 */

export interface StoreVersion {
  readonly store: string;
  readonly version: number;
}

/** Tells rebuilds of a pipeline apart: `a@2+b@1`. */
export const rebuildTag = (stores: readonly StoreVersion[]): string =>
  stores
    .map(({ store, version }) => `${store}@${version}`)
    .toSorted()
    .join('+');

export const shadowName = (name: string, tag: string): string => `${name}#${tag}`;

/** The parts of a shadow name; undefined for the name of something that serves. */
export const partsOfShadow = (name: string): { readonly name: string; readonly tag: string } | undefined => {
  const at = name.indexOf('#');
  return at < 0 ? undefined : { name: name.slice(0, at), tag: name.slice(at + 1) };
};
/** The versions in a tag. */
export const storesOfTag = (tag: string): readonly StoreVersion[] =>
  tag.split('+').map((one) => ({ store: one.slice(0, one.lastIndexOf('@')), version: Number(one.slice(one.lastIndexOf('@') + 1)) }));
