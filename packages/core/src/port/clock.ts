/** Time as an argument: the shell passes the machine's, a test moves its own. */
export interface Clock {
  /** Milliseconds since 1970, as the wall says. */
  now(): number;
  /** Milliseconds that only grow, whatever happens to the wall clock. */
  monotonic(): number;
  /** Resolves after `ms`, or at once when the signal is aborted. */
  after(ms: number, signal: AbortSignal): Promise<void>;
}
