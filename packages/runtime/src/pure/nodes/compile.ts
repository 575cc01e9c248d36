/**
 * Fuses a task's nodes into one synchronous function per input.
 *
 * Nodes are compiled from the ends back: when a node is compiled, everything that follows it is already a function. The result is a
 * closure for each topic that the task reads; a call with a record does everything up to the next topic.
 */
import { type AnyStore, type AnyTopic, assert } from '@stoplog/core/kit';
import { CallStage } from './call-stage.ts';
import { DerivedRecord } from './derived-record.ts';
import { Drops, type Dropped } from './drops.ts';
import { fanOut, fanOutChanges, type Emit, type EmitChange } from './emit.ts';
import { parsingOutput, parsingState } from './parsing-ports.ts';
import type { AnySource, Compiling, Node, OutputPort, SinkPort, StatePort, StreamNode, TableNode } from './node.ts';

/** The part of a task that is compiled. */
export interface TaskNodes {
  /** The nodes of the task, inputs first. */
  readonly nodes: readonly Node[];
  readonly inputs: readonly { readonly topic: AnyTopic }[];
  readonly source: AnySource | undefined;
}
/** The stores, outputs and sinks of the task, by name. */
export interface TaskPorts {
  readonly stores: ReadonlyMap<string, StatePort>;
  readonly outputs: ReadonlyMap<string, OutputPort>;
  readonly sinks?: ReadonlyMap<string, SinkPort> | undefined;
  /** Asks for a tick at that wall-clock time; the earliest of several counts. */
  readonly wakeAt?: (wallClock: number) => void;
  readonly streamTime?: () => number;
  /** Returns true when values made by functions are parsed before they are written to this store or topic. */
  readonly parses?: (target: AnyStore | AnyTopic) => boolean;
}
export interface CompiledTask {
  /** The functions of the task's inputs, in their order; a source task has one. */
  readonly emits: readonly Emit[];
  /** Where records wait for the results of calls; undefined when no verb calls. */
  readonly stage: CallStage | undefined;
  /** True when a node is called as stream time grows: the stream time is then kept with the task's state. */
  readonly asksForStreamTime: boolean;
  /** Reports that the task's stream time has grown to this; nodes may emit. */
  advance(streamTime: number): void;
  /** Reports that wall-clock time has passed; nodes may emit. */
  tick(wallClock: number): void;
  /** Records without a key that verbs dropped since the last call. */
  takeDropped(): readonly Dropped[];
}

export const compileTask = (task: TaskNodes, ports: TaskPorts): CompiledTask => {
  const inside = new Set(task.nodes);
  // The consumers of each node's records or changes, and of the time. Filled from the ends back.
  const recordsTo = new Map<Node, Emit[]>();
  const changesTo = new Map<Node, EmitChange[]>();
  const advances: ((streamTime: number) => void)[] = [];
  const ticks: ((wallClock: number) => void)[] = [];
  const drops = new Drops();
  let stage: CallStage | undefined;
  const compiling: Compiling = {
    onRecord: (input, emit) => add(recordsTo, input, emit),
    onChange: (input, emit) => add(changesTo, input, emit),
    onCall: (input, calls, emit) => {
      assert(stage === undefined, 'one verb of a task calls');
      const own = (stage = new CallStage(input, calls));
      add(recordsTo, input, (record) => emit(new DerivedRecord(record, own.result)));
    },
    onAdvance: (advance) => void advances.unshift(advance),
    onTick: (tick) => void ticks.unshift(tick),
    wakeAt: (wallClock) => ports.wakeAt?.(wallClock),
    streamTime: () => ports.streamTime?.() ?? -Infinity,
    drop: (verb, { topic }) => drops.add(verb, topic),
    store: (name) => port(ports.stores, name),
    output: ({ name }) => port(ports.outputs, name),
    sink: ({ name }) => port(ports.sinks ?? new Map(), name),
  };
  const emitOf = (node: StreamNode): Emit => fanOut((recordsTo.get(node) ?? []).toReversed());
  const emitChangeOf = (node: TableNode): EmitChange | undefined => {
    const emits = changesTo.get(node);
    return emits && fanOutChanges(emits.toReversed());
  };

  const { parses = () => false } = ports;
  /** Wraps the node's ports where they parse. */
  const compilingOf = (node: Node): Compiling => {
    const owned = node.stores?.find(({ store }) => store !== undefined && parses(store))?.store;
    const isParsed = node.writes !== undefined && node.writes.kind !== 'sink' && parses(node.writes);
    if (owned === undefined && !isParsed) return compiling;
    return {
      ...compiling,
      store: (name) => (owned !== undefined && name === owned.name ? parsingState(compiling.store(name), owned, node) : compiling.store(name)),
      output: (topic) => (isParsed ? parsingOutput(compiling.output(topic), topic, node) : compiling.output(topic)),
    };
  };

  for (const node of task.nodes.toReversed()) {
    // A `through` is also in the task that reads its topic, without its inputs: there is nothing to compile.
    if (!node.inputs.every((input) => inside.has(input))) continue;
    if (node.yields === 'records') node.compile?.(compilingOf(node), emitOf(node));
    else if (node.yields === 'changes') node.compile?.(compilingOf(node), emitChangeOf(node));
    else node.compile(compilingOf(node));
  }

  const entryOf = (topic: AnyTopic): Emit => {
    const readers = task.nodes.filter((node) => node.reads?.topic.name === topic.name);
    const tables = readers.filter((node) => node.yields === 'changes');
    const [first] = tables;
    if (first?.reads?.role !== 'table') return fanOut(readers.filter((node) => node.yields === 'records').map(emitOf));
    // However often a pipeline says table(topic), the topic is kept once, and all readers see the same values before and after.
    const changed = tables.map(emitChangeOf).filter((emit) => emit !== undefined);
    return first.reads.keep(compiling, changed.length === 0 ? undefined : fanOutChanges(changed));
  };
  const sources = task.nodes.filter((node) => node.yields === 'records' && node.source !== undefined) as readonly StreamNode[];
  return {
    emits: task.source === undefined ? task.inputs.map(({ topic }) => entryOf(topic)) : [arrivals(fanOut(sources.map(emitOf)))],
    stage,
    asksForStreamTime: advances.length > 0,
    advance: callAll(advances),
    tick: callAll(ticks),
    takeDropped: () => drops.take(),
  };
};

/** The values of a connector belong to the connector: handlers see them through a record that freezes or copies. */
const arrivals =
  (emit: Emit): Emit =>
  (record) =>
    emit(new DerivedRecord(record, record.value));

/** In the order of the nodes, so that the outputs of one have arrived when the next is called. */
const callAll =
  (hooks: readonly ((time: number) => void)[]): ((time: number) => void) =>
  (time) => {
    for (const hook of hooks) hook(time);
  };

const add = <T>(map: Map<Node, T[]>, node: Node, value: T): void => {
  const values = map.get(node);
  if (values === undefined) map.set(node, [value]);
  else values.push(value);
};

const port = <T>(ports: ReadonlyMap<string, T>, name: string): T => {
  const found = ports.get(name);
  assert(found !== undefined, `the task has a port '${name}'`);
  return found;
};
