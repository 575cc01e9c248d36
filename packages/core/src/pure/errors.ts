/**
 * One error class, a closed list of codes, facts as fields, the remedy at the end of the sentence.
 *
 * `error.code` is the switch; nobody parses messages. Structured clone between threads drops both the class and its
 * fields, so an error crosses as data (`errorToData`) and is made anew on the other side (`errorFromData`).
 */
export type StoplogCode =
  | 'STOPLOG_TOPOLOGY' // the graph cannot run
  | 'STOPLOG_TOPIC_SHAPE' // a topic exists in another shape
  | 'STOPLOG_TOPIC_UNKNOWN' // no such topic in this log
  | 'STOPLOG_NAME' // a topic, store or pipeline name outside [a-zA-Z0-9._-]{1,249}
  | 'STOPLOG_PIPELINE_MODULE' // no pipeline by default, side effects, differing fingerprint
  | 'STOPLOG_SCHEMA' // a key or value does not parse, or cannot be encoded
  | 'STOPLOG_KEY_TOO_LONG' // a key over the limit
  | 'STOPLOG_RECORD_TOO_LARGE' // a record over the limit
  | 'STOPLOG_STORE_VERSION' // schema changed, version not; or a version that cannot be opened
  | 'STOPLOG_STORE_OWNER' // a store that another pipeline owns
  | 'STOPLOG_FENCED' // held by another member by now, or standing elsewhere
  | 'STOPLOG_GROUP_ACTIVE' // what is to be done to a group needs that nobody is in it
  | 'STOPLOG_GROUP_UNKNOWN' // no such group in this log
  | 'STOPLOG_SEQUENCE' // a producer's batch that skips a number, or came long ago
  | 'STOPLOG_END_MOVED' // a partition does not end where a conditional append expected it to
  | 'STOPLOG_OFFSET_OUT_OF_RANGE' // a position below the log's start or above its end
  | 'STOPLOG_LOG_CORRUPT' // a checksum or invariant fails
  | 'STOPLOG_LOG_FOREIGN' // a folder that is not ours
  | 'STOPLOG_LOG_FORMAT' // a folder of a newer format
  | 'STOPLOG_LOG_FULL' // no space left, or the map's limit is reached
  | 'STOPLOG_LOG_UNAVAILABLE' // it cannot be opened or written: permission, read-only, closed
  | 'STOPLOG_TOO_FEW_FILES' // this process, or the machine, may open no more
  | 'STOPLOG_HANDLER' // user code threw, hung, or ended its thread
  | 'STOPLOG_SOURCE' // a source failed or overflowed
  | 'STOPLOG_OUTPUT' // a command's results could not be written
  | 'STOPLOG_USAGE'; // an argument that makes no sense

export type Facts = Readonly<Record<string, unknown>>;

/** Registered, so that another copy of this package knows our errors. */
const mark = Symbol.for('stoplog.error');

export class StoplogError extends Error {
  readonly code: StoplogCode;
  readonly facts: Facts;
  constructor(code: StoplogCode, facts: Facts, message: string, options?: ErrorOptions) {
    super(message, options);
    this.name = 'StoplogError';
    this.code = code;
    this.facts = facts;
    Object.defineProperty(this, mark, { value: true });
  }
}

/** True for our errors, also when they were made by another copy of this package. */
export const isStoplogError = (error: unknown): error is StoplogError => typeof error === 'object' && error !== null && mark in error;

/** An error as plain data, fit for `postMessage`. */
export interface ErrorData {
  readonly code: StoplogCode | undefined;
  readonly facts: Facts;
  readonly name: string;
  readonly message: string;
  readonly stack: string | undefined;
  readonly cause: ErrorData | undefined;
}

/** What was thrown, as an Error: user code may throw text, nothing, or an object that has no text at all. */
export const asError = (thrown: unknown): Error => {
  if (thrown instanceof Error) return thrown;
  try {
    return new Error(typeof thrown === 'string' ? thrown : `${String(thrown)} was thrown, which is not an Error`);
  } catch {
    return new Error(`something of type ${typeof thrown} was thrown, which is not an Error`);
  }
};

export const errorToData = (error: unknown, depth = 0): ErrorData => {
  const e = asError(error);
  return {
    code: isStoplogError(error) ? error.code : undefined,
    facts: isStoplogError(error) ? plain(error.facts) : {},
    name: e.name,
    message: e.message,
    stack: e.stack,
    cause: e.cause === undefined || depth > 3 ? undefined : errorToData(e.cause, depth + 1),
  };
};

export const errorFromData = (data: ErrorData): Error => {
  const options = data.cause ? { cause: errorFromData(data.cause) } : undefined;
  const error = data.code
    ? new StoplogError(data.code, data.facts, data.message, options)
    : Object.assign(new Error(data.message, options), { name: data.name });
  if (data.stack !== undefined) error.stack = data.stack;
  return error;
};

/** Facts may hold anything; what cannot be cloned crosses as its text. */
const plain = (facts: Facts): Facts =>
  Object.fromEntries(
    Object.entries(facts).map(([name, fact]) => [
      name,
      typeof fact === 'function' ||
      typeof fact === 'symbol' ||
      (typeof fact === 'object' && fact !== null && !Array.isArray(fact) && !(fact instanceof Uint8Array) && Object.getPrototypeOf(fact) !== Object.prototype)
        ? String(fact)
        : fact,
    ]),
  );

/** States an invariant. A broken one is a bug of ours: the actor crashes and starts again from its last commit. */
export function assert(holds: unknown, invariant: string): asserts holds {
  if (!holds) throw new Error(`invariant broken: ${invariant}`);
}
