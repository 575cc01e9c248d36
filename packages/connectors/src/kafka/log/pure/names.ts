/**
 * Names of a log's topics, stores and groups in the cluster. A prefix keeps several logs of one cluster apart.
 *
 * Names that begin with `stoplog.` are the log's own: one topic of declarations, one changelog for each store, and for each
 * source a topic without records, in which the group's offsets of that source are kept.
 */
export interface Names {
  readonly declarations: string;
  readonly topic: (name: string) => string;
  readonly changelog: (store: string) => string;
  readonly group: (name: string) => string;
}

const SOURCE = /^source:/;

export const namesWith = (prefix: string): Names => ({
  declarations: `${prefix}stoplog.declarations`,
  topic: (name) => prefix + name.replace(SOURCE, 'stoplog.source.'),
  changelog: (store) => `${prefix}stoplog.store.${store}`,
  group: (name) => prefix + name,
});
