/**
 * StoplogError has a code from a closed list, facts as fields, and the remedy at the end of its sentence.
 *
 * Code decides by `error.code` and never parses messages. Structured clone between threads drops both the class and its
 * fields, so an error crosses as data (`errorToData`) and is rebuilt on the other side (`errorFromData`).
 */
export type StoplogCode =
  | 'STOPLOG_TOPOLOGY' // the pipeline's graph cannot run
  | 'STOPLOG_TOPIC_SHAPE' // the topic exists in another shape
  | 'STOPLOG_TOPIC_UNKNOWN' // the log has no such topic
  | 'STOPLOG_TOPIC_OWNER' // another pipeline owns the topic: it is a through topic of it
  | 'STOPLOG_NAME' // a topic, store or pipeline name outside [a-zA-Z0-9._-]{1,249}
  | 'STOPLOG_PIPELINE_MODULE' // no pipeline as default export, side effects, or a different fingerprint
  | 'STOPLOG_SCHEMA' // a key or value does not parse, or cannot be encoded
  | 'STOPLOG_KEY_TOO_LONG' // the key exceeds the limit
  | 'STOPLOG_RECORD_TOO_LARGE' // the record exceeds the limit
  | 'STOPLOG_STORE_VERSION' // the schema changed and the version did not; or the version cannot be opened
  | 'STOPLOG_STORE_OWNER' // another pipeline owns the store
  | 'STOPLOG_STORE_NEW' // a new store of a group that has read past the records which would fill it
  | 'STOPLOG_REBUILD' // a store cannot be rebuilt, or is being rebuilt and cannot be read yet
  | 'STOPLOG_FENCED' // another member holds the partition, or the position has moved
  | 'STOPLOG_OTHER_VERSION' // processes of the group run another program, and this one refuses to start beside them
  | 'STOPLOG_GROUP_ACTIVE' // the operation needs a group without active members
  | 'STOPLOG_GROUP_UNKNOWN' // the log has no such group
  | 'STOPLOG_SEQUENCE' // a producer's batch skips a number, or is older than the last five
  | 'STOPLOG_END_MOVED' // the partition does not end where a conditional append expected
  | 'STOPLOG_OFFSET_OUT_OF_RANGE' // the position is below the log's start or above its end
  | 'STOPLOG_LOG_CORRUPT' // a checksum or invariant fails
  | 'STOPLOG_LOG_FOREIGN' // the folder is not a Stoplog log
  | 'STOPLOG_LOG_FORMAT' // the folder has a newer format
  | 'STOPLOG_LOG_FULL' // the disk is full, or the map's limit is reached
  | 'STOPLOG_LOG_UNAVAILABLE' // the log cannot be opened or written: permission, read-only, closed
  | 'STOPLOG_TOO_FEW_FILES' // the process, or the machine, may open no more files
  | 'STOPLOG_HANDLER' // user code threw, hung, or ended its thread
  | 'STOPLOG_SOURCE' // a source failed or overflowed
  | 'STOPLOG_SINK' // a sink could not be opened or written
  | 'STOPLOG_OUTPUT' // a command cannot write its results
  | 'STOPLOG_USAGE'; // an argument is invalid

export type Facts = Readonly<Record<string, unknown>>;

/** A registered symbol, so that another copy of this package recognises our errors. */
const mark = Symbol.for('stoplog.error');

/**
 * The error of every refusal: `code` to decide by, `facts` as fields, and a message that ends with the remedy.
 *
 * @example
 * if (isStoplogError(error) && error.code === 'STOPLOG_LOG_FULL') console.error(error.message, error.facts);
 */
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

  /**
   * The section of the documents that explains the code, from the root of the repository. Not in the message, which ends with the remedy.
   *
   * @example
   * if (isStoplogError(error)) console.error(`${error.code}  ${error.message}\n  ${error.docs}`);
   */
  get docs(): string {
    return `docs/reference/errors.md#${this.code.toLowerCase()}`;
  }
}

/**
 * True for our errors, including errors made by another copy of this package.
 *
 * @example
 * log.append(orders, records).catch((error: unknown) => {
 *   if (!isStoplogError(error)) throw error;
 *   console.error(error.code, error.message);
 * });
 */
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

/** Turns any thrown value into an Error: user code may throw text, undefined, or an object that cannot be printed. */
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

/** Facts may hold anything; values that cannot be cloned cross as their text. */
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

/** States an invariant. A broken invariant is a bug in Stoplog: the actor crashes and restarts from its last commit. */
export function assert(holds: unknown, invariant: string): asserts holds {
  if (!holds) throw new Error(`invariant broken: ${invariant}`);
}
