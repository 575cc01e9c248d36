/**
 * A node is one verb of a pipeline, and one file in this folder declares everything about that verb.
 *
 * Planning, checks, drawings, the fingerprint and compilation ask the node; none of them knows the list of verbs. A node holds the nodes
 * it reads from, so the ends of a pipeline hold the whole graph.
 */
import type { Sink, Source } from '@stoplog/core/port';
import type { AnyStore, AnyTopic } from '@stoplog/core/kit';
import type { Emit, EmitChange } from './emit.ts';
import type { AnyRecord } from './record.ts';

/** The sources, sinks and topics of a pipeline, without the types of keys and values. */
export type AnySource = Source<unknown, unknown>;
export type AnySink = Sink<never, never>;
export type AnyTarget = AnyTopic | AnySink;

export type Role = 'stream' | 'table' | 'through';
/** The topic that a node reads; a `through` reads with its second half. */
export type Reading =
  | { readonly topic: AnyTopic; readonly role: 'stream' | 'through' }
  /** Several tables of one topic are kept once: `keep` stores the record and hands each change to `emit`, which is undefined if nothing follows. */
  | { readonly topic: AnyTopic; readonly role: 'table'; readonly keep: (task: Compiling, emit: EmitChange | undefined) => Emit };

/** A store that a node owns. */
export interface NodeStore {
  /** Undefined for the store in which a table keeps its topic. */
  readonly store: AnyStore | undefined;
  readonly name: string;
  readonly version: number;
  readonly fingerprint: string;
  /** The topic whose latest values this store holds, as their bytes. */
  readonly table: AnyTopic | undefined;
}

interface Facts {
  /** The node's name in the fingerprint: renaming it stops every pipeline that uses the verb. */
  readonly kind: string;
  /** The verb as it is written in a pipeline: drawings and errors use it. */
  readonly verb: string;
  /** A drawing prints this behind the verb: the name of the store, for instance. */
  readonly detail?: string;
  /** In the order of their declaration; the first one is the main path. */
  readonly inputs: readonly (StreamNode | TableNode)[];
  /** The node's declaration besides its functions, for the fingerprint. */
  readonly declares: Readonly<Record<string, unknown>>;
  readonly reads?: Reading;
  readonly source?: AnySource;
  /** A topic or sink that the node appends to. */
  readonly writes?: AnyTarget;
  readonly stores?: readonly NodeStore[];
  /** The name that an error gives to the meeting of two inputs, whose topics must agree in partitions and in the codec of their keys. */
  readonly meeting?: string;
}

/** Yields records: a key, a value, a time. */
export interface StreamNode extends Facts {
  readonly yields: 'records';
  /** Called in the task of the node's inputs. `emit` is everything that follows in this task. */
  readonly compile?: (task: Compiling, emit: Emit) => void;
}
/** Yields changes: a key with its values before and after. */
export interface TableNode extends Facts {
  readonly yields: 'changes';
  /** As for a stream; `emit` is undefined if nothing follows. */
  readonly compile?: (task: Compiling, emit: EmitChange | undefined) => void;
  /** Looks up the present value of a key. */
  readonly lookup: (task: Compiling) => Lookup;
}
/** Yields nothing: its records are written. */
export interface EndNode extends Facts {
  readonly yields: 'nothing';
  readonly writes: AnyTarget;
  readonly compile: (task: Compiling) => void;
}

export type Node = StreamNode | TableNode | EndNode;
export type End = EndNode | TableNode;
export type Lookup = (key: unknown) => unknown;

/** An asynchronous function, and how many of its calls may be in flight. */
export interface Calls {
  readonly concurrency: number;
  readonly call: (record: AnyRecord, signal: AbortSignal) => unknown;
}

/** The task as a node sees it while the node is compiled. */
export interface Compiling {
  /** Sends every record, or change, of the input to `emit`. */
  onRecord(input: StreamNode, emit: Emit): void;
  onChange(input: TableNode, emit: EmitChange): void;
  /**
   * Calls an asynchronous function with each record of the input, and hands the record with the result to `emit`, in the
   * order of the records. The input is a topic: behind another verb the record would have to be stopped in the middle of the
   * task, and that verb's state would be written at one time and the result at another. One verb of a task calls.
   */
  onCall(input: StreamNode, calls: Calls, emit: Emit): void;
  /** Called when the task's stream time has grown; may emit. */
  onAdvance(advance: (streamTime: number) => void): void;
  /** Called when wall-clock time has passed; may emit. */
  onTick(tick: (wallClock: number) => void): void;
  /**
   * The largest timestamp so far, including the record in progress; the same after a restart. For nodes that use `onAdvance`: without one
   * the task keeps no stream time, and the result is -Infinity.
   */
  streamTime(): number;
  /** Asks for a tick at that wall-clock time, in a start or in a tick; the earliest of several counts. */
  wakeAt(wallClock: number): void;
  /** Counts a record without a key that the verb drops: without a key there is no partition for its state. */
  drop(verb: string, record: AnyRecord): void;
  store(name: string): StatePort;
  output(topic: AnyTopic): OutputPort;
  sink(sink: AnySink): SinkPort;
}

/** The access of a `process` handler to its store. */
export interface StateAccess {
  get(key: unknown): unknown;
  set(key: unknown, state: unknown): void;
  delete(key: unknown): void;
}
/** A store's part in this task. */
export interface StatePort extends StateAccess {
  /** Sets a value by its bytes, which are decoded only on request. */
  setBytes(key: unknown, bytes: Uint8Array): void;
  /** At most `limit` entries with gte ≤ key < lt (or gt < key), in key order, including the writes of this batch. */
  range(bounds: { readonly gte?: unknown; readonly gt?: unknown; readonly lt?: unknown }, limit: number): readonly (readonly [unknown, unknown])[];
}
/** A target of the task: a sink, or a topic. */
export interface SinkPort {
  record(record: AnyRecord): void;
  /** Remembers the latest value of a key until the commit; undefined deletes the key. */
  latest(key: unknown, value: unknown, record: AnyRecord): void;
}
/** A topic that the task appends to. */
export interface OutputPort extends SinkPort {
  /** Appends a record under another key. */
  rekeyed(key: unknown, record: AnyRecord): void;
}
