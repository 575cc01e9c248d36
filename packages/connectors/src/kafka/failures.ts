/**
 * Errors of the Kafka client are aggregates: the protocol's name of an error (`ILLEGAL_GENERATION`) is found some levels deep.
 */
import { setTimeout as after } from 'node:timers/promises';

/** The protocol's names of everything that went wrong, and `NETWORK` for a connection that failed. */
export const failureNames = (error: unknown): ReadonlySet<string> => {
  const names = new Set<string>();
  const visit = (what: unknown, depth: number): void => {
    if (typeof what !== 'object' || what === null || depth > 6) return;
    if ('apiId' in what && typeof what.apiId === 'string') names.add(what.apiId);
    if ('code' in what && (what.code === 'PLT_KFK_NETWORK' || what.code === 'PLT_KFK_TIMEOUT')) names.add('NETWORK');
    if ('errors' in what && Array.isArray(what.errors)) for (const one of what.errors) visit(one, depth + 1);
    if ('cause' in what) visit(what.cause, depth + 1);
  };
  visit(error, 0);
  return names;
};
export const failedAs = (error: unknown, ...names: readonly string[]): boolean => {
  const found = failureNames(error);
  return names.some((name) => found.has(name));
};

/** Failures that pass by themselves: a coordinator or leader moves, a transaction is still being ended. */
const PASSING = [
  'COORDINATOR_NOT_AVAILABLE',
  'COORDINATOR_LOAD_IN_PROGRESS',
  'NOT_COORDINATOR',
  'CONCURRENT_TRANSACTIONS',
  'UNSTABLE_OFFSET_COMMIT',
  'LEADER_NOT_AVAILABLE',
  'NOT_LEADER_OR_FOLLOWER',
  'UNKNOWN_TOPIC_ID',
  'OFFSET_NOT_AVAILABLE',
  'NETWORK',
];

/** Calls again after failures that pass, for up to `forMs`. */
export const retrying = async <T>(call: () => Promise<T>, forMs: number = 30_000): Promise<T> => {
  const until = performance.now() + forMs;
  for (let delay = 2; ; delay = Math.min(100, delay * 2)) {
    try {
      return await call();
    } catch (error) {
      if (!failedAs(error, ...PASSING) || performance.now() > until) throw error;
      await after(delay);
    }
  }
};
