/** The part of topics, sinks and stores that enters the fingerprint: every declared setting, no function. */
import type { AnyStore } from '@stoplog/core/kit';
import type { AnyTarget, NodeStore } from './node.ts';

export const targetFacts = (target: AnyTarget): object => (target.kind === 'sink' ? { sink: target.name } : { topic: target.shape });

export const storeFacts = ({ name, version, fingerprint }: AnyStore): object => ({ name, version, fingerprint });

/** The store that a verb got as an argument. */
export const ownStore = (store: AnyStore): NodeStore => ({
  store,
  name: store.name,
  version: store.version,
  fingerprint: store.fingerprint,
  table: undefined,
});
