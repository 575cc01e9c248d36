/**
 * The verbs behind the faces: each checks its arguments, builds one frozen node, and does nothing else.
 *
 * Nothing here is typed by key and value. The faces (`Stream`, `Table`, `Arrivals`) are, and the three casts at the end of this file are
 * the only place where the two meet: a face promises the types of the arguments that its functions will get.
 */
import type { AnyStore, AnyTopic } from '@stoplog/core/kit';
import { changes } from '../nodes/changes.ts';
import { count } from '../nodes/count.ts';
import { filter } from '../nodes/filter.ts';
import { flatMap } from '../nodes/flat-map.ts';
import { fold, type AnyFold } from '../nodes/fold.ts';
import { join } from '../nodes/join.ts';
import { map } from '../nodes/map.ts';
import { merge } from '../nodes/merge.ts';
import type { AnyTarget, EndNode, StateAccess, StreamNode, TableNode } from '../nodes/node.ts';
import { process } from '../nodes/process.ts';
import type { AnyRecord } from '../nodes/record.ts';
import { tableFilter } from '../nodes/table-filter.ts';
import { tableMap } from '../nodes/table-map.ts';
import { tableTo } from '../nodes/table-to.ts';
import { through } from '../nodes/through.ts';
import { to } from '../nodes/to.ts';
import type { Arrivals, Stream, Table } from './faces.ts';
import { asFunction, asStore, asTarget, asTopic } from './arguments.ts';
import type { Flow } from './flow.ts';
import { nodeIn, nodeKey } from './node-key.ts';

type Per<R> = (value: unknown, record: AnyRecord) => R;
type Combine = (value: unknown, match: unknown, record: AnyRecord) => unknown;
type PerKey<R> = (value: unknown, key: unknown) => R;

class StreamVerbs {
  readonly kind = 'stream';
  readonly [nodeKey]: StreamNode;
  constructor(node: StreamNode) {
    this[nodeKey] = Object.freeze(node);
    Object.freeze(this);
  }
  filter(keep: Per<boolean>): StreamVerbs {
    return new StreamVerbs(filter(this[nodeKey], asFunction('filter', keep)));
  }
  map(fn: Per<unknown>): StreamVerbs {
    return new StreamVerbs(map(this[nodeKey], asFunction('map', fn)));
  }
  flatMap(fn: Per<Iterable<unknown>>): StreamVerbs {
    return new StreamVerbs(flatMap(this[nodeKey], asFunction('flatMap', fn)));
  }
  merge(other: StreamVerbs): StreamVerbs {
    return new StreamVerbs(merge(this[nodeKey], nodeIn('merge', 'stream', other)));
  }
  rekey(by: Per<unknown>): RekeyedVerbs {
    return new RekeyedVerbs(this[nodeKey], asFunction('rekey', by));
  }
  join(table: TableVerbs, combine: Combine): StreamVerbs {
    return new StreamVerbs(join(this[nodeKey], nodeIn('join', 'table', table), false, asFunction('join', combine)));
  }
  leftJoin(table: TableVerbs, combine: Combine): StreamVerbs {
    return new StreamVerbs(join(this[nodeKey], nodeIn('leftJoin', 'table', table), true, asFunction('leftJoin', combine)));
  }
  fold(store: AnyStore, by: AnyFold): TableVerbs {
    const [init, update] = [asFunction('fold', by.init), asFunction('fold', by.update)];
    return new TableVerbs(fold(this[nodeKey], asStore('fold', store), { init, update }));
  }
  count(store: AnyStore): TableVerbs {
    return new TableVerbs(count(this[nodeKey], asStore('count', store)));
  }
  process(store: AnyStore, step: (value: unknown, state: StateAccess, record: AnyRecord) => Iterable<unknown>): StreamVerbs {
    return new StreamVerbs(process(this[nodeKey], asStore('process', store), asFunction('process', step)));
  }
  to(target: AnyTarget): FlowEnd {
    return new FlowEnd(to(this[nodeKey], asTarget('to', target, ['topic', 'sink'])));
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
    return new StreamVerbs(through(this.#input, this.#by, asTopic('through', topic, ['topic'])));
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
    return new TableVerbs(tableMap(this[nodeKey], asFunction('map', fn)));
  }
  filter(keep: PerKey<boolean>): TableVerbs {
    return new TableVerbs(tableFilter(this[nodeKey], asFunction('filter', keep)));
  }
  changes(): StreamVerbs {
    return new StreamVerbs(changes(this[nodeKey]));
  }
  to(target: AnyTarget): FlowEnd {
    return new FlowEnd(tableTo(this[nodeKey], asTarget('to', target, ['compacted', 'sink'])));
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
  /** To a topic only: a sink keeps its position by a topic's offsets, and a source has none. */
  to(topic: AnyTopic): FlowEnd {
    return this.#stream.to(asTopic('to', topic, ['topic']));
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

export const streamFace = <K, V>(node: StreamNode): Stream<K, V> => new StreamVerbs(node) as unknown as Stream<K, V>;
export const tableFace = <K, V>(node: TableNode): Table<K, V> => new TableVerbs(node) as unknown as Table<K, V>;
export const arrivalsFace = <K, V>(node: StreamNode): Arrivals<K, V> => new ArrivalVerbs(new StreamVerbs(node)) as unknown as Arrivals<K, V>;
