/**
 * The verbs behind the faces: each builds one frozen node and does nothing else.
 *
 * Here nothing is typed by key and value. The faces (`Stream`, `Table`, `Arrivals`) are, and the three casts at the end
 * of this file are the only place where the two meet: a face is a promise about what its functions will be given.
 */
import type { AnyStore, AnyTopic } from '@stoplog/core/port';
import type { AnyRecord, AnyTarget, EndNode, StateAccess, StreamNode, TableNode } from '../topology/graph.ts';
import type { Arrivals } from './arrivals.ts';
import { asFunction, asStore, asTarget, asTopic } from './arguments.ts';
import type { Flow } from './flow.ts';
import { nodeIn, nodeKey } from './node-key.ts';
import type { Stream } from './stream.ts';
import type { Table } from './table.ts';

type Per<R> = (value: unknown, record: AnyRecord) => R;
type Combine = (value: unknown, match: unknown, record: AnyRecord) => unknown;
type PerKey<R> = (value: unknown, key: unknown) => R;
interface AnyFold {
  readonly init: () => unknown;
  readonly update: (state: unknown, value: unknown, record: AnyRecord) => unknown;
}

class StreamVerbs {
  readonly kind = 'stream';
  readonly [nodeKey]: StreamNode;
  constructor(node: StreamNode) {
    this[nodeKey] = Object.freeze(node);
    Object.freeze(this);
  }
  filter(keep: Per<boolean>): StreamVerbs {
    return new StreamVerbs({ kind: 'filter', input: this[nodeKey], keep: asFunction('filter', keep) });
  }
  map(fn: Per<unknown>): StreamVerbs {
    return new StreamVerbs({ kind: 'map', input: this[nodeKey], fn: asFunction('map', fn) });
  }
  flatMap(fn: Per<Iterable<unknown>>): StreamVerbs {
    return new StreamVerbs({ kind: 'flat-map', input: this[nodeKey], fn: asFunction('flatMap', fn) });
  }
  merge(other: StreamVerbs): StreamVerbs {
    return new StreamVerbs({ kind: 'merge', left: this[nodeKey], right: nodeIn('merge', 'stream', other) });
  }
  rekey(by: Per<unknown>): RekeyedVerbs {
    return new RekeyedVerbs(this[nodeKey], asFunction('rekey', by));
  }
  join(table: TableVerbs, combine: Combine): StreamVerbs {
    return new StreamVerbs({ kind: 'join', input: this[nodeKey], table: nodeIn('join', 'table', table), left: false, combine: asFunction('join', combine) });
  }
  leftJoin(table: TableVerbs, combine: Combine): StreamVerbs {
    return new StreamVerbs({
      kind: 'join',
      input: this[nodeKey],
      table: nodeIn('leftJoin', 'table', table),
      left: true,
      combine: asFunction('leftJoin', combine),
    });
  }
  fold(store: AnyStore, fold: AnyFold): TableVerbs {
    const [init, update] = [asFunction('fold', fold.init), asFunction('fold', fold.update)];
    return new TableVerbs({ kind: 'fold', verb: 'fold', input: this[nodeKey], store: asStore('fold', store), init, update });
  }
  count(store: AnyStore): TableVerbs {
    return new TableVerbs({ kind: 'fold', verb: 'count', input: this[nodeKey], store: asStore('count', store), init: zero, update: oneMore });
  }
  process(store: AnyStore, step: (value: unknown, state: StateAccess, record: AnyRecord) => Iterable<unknown>): StreamVerbs {
    return new StreamVerbs({ kind: 'process', input: this[nodeKey], store: asStore('process', store), step: asFunction('process', step) });
  }
  to(target: AnyTarget): FlowEnd {
    return new FlowEnd({ kind: 'to', input: this[nodeKey], target: asTarget('to', target, ['topic', 'sink']) });
  }
}

class RekeyedVerbs {
  readonly #input: StreamNode;
  readonly #by: Per<unknown>;
  constructor(input: StreamNode, by: Per<unknown>) {
    this.#input = input;
    this.#by = by;
  }
  through(topic: AnyTopic): StreamVerbs {
    return new StreamVerbs({ kind: 'through', input: this.#input, by: this.#by, topic: asTopic('through', topic, ['topic']) });
  }
}

class TableVerbs {
  readonly kind = 'table';
  readonly [nodeKey]: TableNode;
  constructor(node: TableNode) {
    this[nodeKey] = Object.freeze(node);
    Object.freeze(this);
  }
  map(fn: PerKey<unknown>): TableVerbs {
    return new TableVerbs({ kind: 'table-map', input: this[nodeKey], fn: asFunction('map', fn) });
  }
  filter(keep: PerKey<boolean>): TableVerbs {
    return new TableVerbs({ kind: 'table-filter', input: this[nodeKey], keep: asFunction('filter', keep) });
  }
  changes(): StreamVerbs {
    return new StreamVerbs({ kind: 'changes', input: this[nodeKey] });
  }
  to(target: AnyTarget): FlowEnd {
    return new FlowEnd({ kind: 'table-to', input: this[nodeKey], target: asTarget('to', target, ['compacted', 'sink']) });
  }
}

class ArrivalVerbs {
  readonly kind = 'arrivals';
  readonly #stream: StreamVerbs;
  constructor(stream: StreamVerbs) {
    this.#stream = stream;
    Object.freeze(this);
  }
  filter(keep: Per<boolean>): ArrivalVerbs {
    return new ArrivalVerbs(this.#stream.filter(keep));
  }
  map(fn: Per<unknown>): ArrivalVerbs {
    return new ArrivalVerbs(this.#stream.map(fn));
  }
  flatMap(fn: Per<Iterable<unknown>>): ArrivalVerbs {
    return new ArrivalVerbs(this.#stream.flatMap(fn));
  }
  rekey(by: Per<unknown>): RekeyedVerbs {
    return this.#stream.rekey(by);
  }
}

class FlowEnd implements Flow {
  readonly kind = 'flow';
  readonly [nodeKey]: EndNode;
  constructor(node: EndNode) {
    this[nodeKey] = Object.freeze(node);
    Object.freeze(this);
  }
}

const zero = (): number => 0;
const oneMore = (n: unknown): number => (typeof n === 'number' ? n + 1 : 1);

export const streamFace = <K, V>(node: StreamNode): Stream<K, V> => new StreamVerbs(node) as unknown as Stream<K, V>;
export const tableFace = <K, V>(node: TableNode): Table<K, V> => new TableVerbs(node) as unknown as Table<K, V>;
export const arrivalsFace = <K, V>(node: StreamNode): Arrivals<K, V> => new ArrivalVerbs(new StreamVerbs(node)) as unknown as Arrivals<K, V>;
