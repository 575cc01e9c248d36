/**
 * Listens for the abort of a signal, with one listener of each signal for all calls that use it.
 *
 * A program gives one signal to many reads and appends. Node takes eleven listeners of a signal for a leak and warns; here it
 * sees one, and none when the last call has ended.
 */
const listening = new WeakMap<AbortSignal, Set<() => void>>();

/** Calls `act` at the abort, or now if the signal is aborted. Returns a function that stops listening. */
export const onAbort = (signal: AbortSignal | undefined, act: () => void): (() => void) => {
  if (signal === undefined) return () => {};
  if (signal.aborted) {
    act();
    return () => {};
  }
  const acts = listening.get(signal) ?? listen(signal);
  // A function of its own for each call: two calls may give the same one.
  const own = (): void => act();
  acts.add(own);
  return () => {
    if (!acts.delete(own) || acts.size > 0 || listening.get(signal) !== acts) return;
    signal.removeEventListener('abort', abortAll);
    listening.delete(signal);
  };
};

const listen = (signal: AbortSignal): Set<() => void> => {
  const acts = new Set<() => void>();
  listening.set(signal, acts);
  signal.addEventListener('abort', abortAll, { once: true });
  return acts;
};
function abortAll(this: AbortSignal): void {
  const acts = listening.get(this) ?? [];
  listening.delete(this);
  for (const act of acts) act();
}
