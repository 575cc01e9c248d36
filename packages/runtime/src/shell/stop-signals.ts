/**
 * Ctrl-C and SIGTERM: the first signal drains, the second ends the process at once. Neither loses anything: committed work stays, and
 * uncommitted records are read again.
 */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** Exit codes as in shells: 128 plus the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Calls `first` at the first signal; returns a function that stops listening. */
export const onStopSignals = (first: (signal: NodeJS.Signals) => void): (() => void) => {
  let seen = false;
  const handlers = SIGNALS.map((signal) => {
    const handler = (): void => {
      if (seen) process.exit(EXIT_CODES[signal]);
      seen = true;
      first(signal);
    };
    process.on(signal, handler);
    return () => process.off(signal, handler);
  });
  return () => {
    for (const off of handlers) off();
  };
};
