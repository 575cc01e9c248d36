/**
 * Ctrl-C and SIGTERM: the first one drains, the second one ends the process at once. Neither loses anything: what is
 * committed is committed, and what is not will be read again.
 */
const SIGNALS = ['SIGINT', 'SIGTERM'] as const;
/** As shells count: 128 and the number of the signal. */
const EXIT_CODES = { SIGINT: 130, SIGTERM: 143 } as const;

/** Calls `first` at the first signal; returns how to stop listening. */
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
