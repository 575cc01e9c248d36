/** What topics, sinks and stores add to the fingerprint: everything that is declared, nothing that runs. */
import type { AnyStore } from '@stoplog/core/kit';
import type { AnyTarget, NodeStore } from './node.ts';

export const targetFacts = (target: AnyTarget): object => (target.kind === 'sink' ? { sink: target.name } : { topic: target.shape });

export const storeFacts = ({ name, version, fingerprint }: AnyStore): object => ({ name, version, fingerprint });

/** The store of a verb that was given one. */
export const ownStore = (store: AnyStore): NodeStore => ({
  store,
  name: store.name,
  version: store.version,
  fingerprint: store.fingerprint,
  table: undefined,
});
