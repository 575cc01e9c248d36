/**
 * Events that must occur in some seeds: a simulation without a crash between two commits proves little about such a crash.
 *
 * @example
 * for (const counter of COUNTERS) expect(total[counter], counter).toBeGreaterThan(0);
 */
export const COUNTERS = [
  'crash before send',
  'crash after send, before apply',
  'crash after apply, before ack',
  'crash with two commits under way',
  'crash of a process',
  'power cut',
  'power cut between visible and durable',
  'power cut that took back some and left some',
  'commit of an epoch that is over',
  'commit from where the group does not stand',
  'commit made from one that was refused',
  'commit that the log had no room for',
  'commit over a hole',
  'pause longer than a session',
  'partition handed over while a commit was under way',
  'partition handed over in the middle of a batch',
  'partition handed over by a handler slower than a session',
  'partition handed over before another that was to move with it',
  'partition taken from a member that died',
  'partition taken from a member that stood still',
  'rebalance that left a commit under way alone',
  'assignment that was over before it was seen',
  'expiry that came too late',
  'member that was expelled, and learned of it',
  'member that left',
  'static member that went away',
  'static member that came back in time',
  'static member that came back too late',
  'record that failed',
  'restart with a suspect',
] as const;

export type Counter = (typeof COUNTERS)[number];
export type Counters = Readonly<Record<Counter, number>>;
export type Count = (counter: Counter) => void;

export const noCounts = (): Record<Counter, number> => Object.fromEntries(COUNTERS.map((counter) => [counter, 0])) as Record<Counter, number>;
