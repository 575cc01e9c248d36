/**
 * The type of a value that must not be changed in place: its properties are readonly, and so are the properties of every value in it.
 *
 * Classes keep their type, because a mapped type loses private members; functions and primitives have nothing to change.
 */
export type DeepReadonly<T> = unknown extends T
  ? T
  : T extends readonly (infer E)[]
    ? IsTuple<T> extends true
      ? { readonly [I in keyof T]: DeepReadonly<T[I]> }
      : readonly DeepReadonly<E>[]
    : T extends string | number | bigint | boolean | symbol | null | undefined | Opaque
      ? T
      : { readonly [P in keyof T]: DeepReadonly<T[P]> };

type IsTuple<T extends readonly unknown[]> = number extends T['length'] ? false : true;
/** The types that freezing does not protect, or that mapping would break. */
type Opaque = Date | ReadonlyMap<unknown, unknown> | ReadonlySet<unknown> | ArrayBufferView | ((...args: never[]) => unknown);
