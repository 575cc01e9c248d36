/** Copies of a few bytes, for which a loop is faster than `set`: that is a call into native code, of some 60 ns. */
const SHORT = 32;

/** Puts `source` into `target` at `at`, and returns the offset after it. */
export const copyInto = (target: Uint8Array, at: number, source: Uint8Array): number => {
  const { length } = source;
  if (length > SHORT) target.set(source, at);
  else for (let i = 0; i < length; i++) target[at + i] = source[i]!;
  return at + length;
};
