/** The duties of a function given to a verb: return at once, and leave values unchanged that others see too. */
import { StoplogError } from '@stoplog/core';

/** Verbs are synchronous: a promise in place of a value is a mistake that would be written to the log as `{}`. */
export const settled = <T>(verb: string, result: T): T => {
  if (!(result instanceof Promise)) return result;
  // No other code awaits the promise; the error below reports the mistake.
  result.catch(() => {});
  throw new StoplogError(
    'STOPLOG_HANDLER',
    { verb, retry: false },
    `the function given to ${verb}(…) returned a promise, but verbs are synchronous: do asynchronous work before the log, or after it, and pass a plain function`,
  );
};

/** The same check for verbs that yield any number of values; no value is `[]`, not undefined. */
export const many = <T>(verb: string, result: Iterable<T>): Iterable<T> => {
  const given: unknown = settled(verb, result);
  if (typeof given === 'string' || (typeof given === 'object' && given !== null && Symbol.iterator in given)) return result;
  throw new StoplogError(
    'STOPLOG_HANDLER',
    { verb, found: typeof given },
    `the function given to ${verb}(…) returned ${given === null || given === undefined ? String(given) : 'something that is not iterable'}: return an array or another iterable of values, [] for none`,
  );
};

/** The error of a verb's function: a write to a frozen value names the verb, every other error stays as it is. */
export const inVerb = (verb: string, error: unknown): unknown => {
  if (!(error instanceof TypeError) || !WRITE_TO_FROZEN.test(error.message)) return error;
  return new StoplogError(
    'STOPLOG_HANDLER',
    { verb, cause: error.message },
    `the function given to ${verb}(…) changed a value in place (${error.message}). The arguments of a function, and the values it has returned or set, ` +
      'are frozen, because other functions and the store see the same values: make a new one, as in { ...state, count: state.count + 1 }',
    { cause: error },
  );
};
/** V8's messages for writes to frozen objects, frozen arrays, and properties of a record. */
const WRITE_TO_FROZEN = /^Cannot (?:assign to read only|add|delete|define|redefine|set) property\b|object is not extensible/;
