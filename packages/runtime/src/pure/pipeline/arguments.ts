/**
 * Checks the arguments of a verb when the pipeline is declared. The compiler refuses the same mistakes in TypeScript; a module in plain
 * JavaScript gets the error just as early, not from an actor at the first record.
 */
import { StoplogError } from '@stoplog/core';
import { type AnyStore, type AnyTopic, storeOf, topicOf } from '@stoplog/core/kit';
import type { AnySink, AnySource, AnyTarget } from '../nodes/node.ts';

type TopicKind = AnyTopic['kind'];

export const asFunction = <F>(verb: string, fn: F): F => {
  if (typeof fn === 'function' && !isAsync(fn)) return fn;
  if (typeof fn === 'function')
    throw new StoplogError(
      'STOPLOG_USAGE',
      { verb },
      `${verb} was given an async function, but verbs are synchronous: do asynchronous work before the log, or after it, and pass a plain function`,
    );
  throw new StoplogError('STOPLOG_USAGE', { verb, found: typeof fn }, `${verb} was given a ${typeof fn} where it needs a function: pass (value, record) => …`);
};

export const asTopic = (verb: string, topic: { readonly name: string }, kinds: readonly TopicKind[]): AnyTopic => {
  const found = topicOf(topic);
  if (kinds.includes(found.kind)) return found;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { verb, topic: found.name, kind: found.kind },
    found.kind === 'compacted'
      ? `${verb} needs a topic, and '${found.name}' is compacted: read it with table(${found.name}), write a table to it, or declare it with topic(…)`
      : `${verb} needs a compacted topic, and '${found.name}' is not: declare it with compactedTopic(…), or use it as a stream`,
  );
};

export const asTarget = (verb: string, target: AnyTarget, kinds: readonly AnyTarget['kind'][]): AnyTarget => {
  if (typeof target === 'object' && target !== null && target.kind === 'sink' && kinds.includes('sink')) return asSink(verb, target);
  return asTopic(
    verb,
    target,
    kinds.filter((kind) => kind !== 'sink'),
  );
};

const asSink = (verb: string, sink: AnySink): AnySink => {
  if (typeof sink.open === 'function') return sink;
  throw new StoplogError('STOPLOG_USAGE', { verb, sink: sink.name }, `${verb} was given a sink without open(…): pass a sink made by a connector`);
};

export const asStore = (verb: string, store: AnyStore): AnyStore => {
  if (typeof store === 'object' && store !== null) return storeOf(store);
  throw new StoplogError('STOPLOG_USAGE', { verb, found: typeof store }, `${verb} needs a store for its state: pass a value made by store(…)`);
};

export const asSource = (verb: string, source: AnySource): AnySource => {
  const given: unknown = source;
  if (typeof given === 'object' && given !== null && source.kind === 'source' && typeof source.open === 'function') return source;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { verb },
    `${verb} was given a value that is no source: pass a source made by a connector, or read a topic with stream(topic)`,
  );
};

/** Also an async generator. A plain function that returns a promise shows only when it is called. */
const isAsync = (fn: object): boolean => Object.prototype.toString.call(fn).startsWith('[object Async');
