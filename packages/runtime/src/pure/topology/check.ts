/**
 * Refuses a pipeline that cannot run before anything starts, with an error that names the declaration to write instead.
 *
 * This file makes the checks that need no cut graph: ends, names, declarations, owners. `co-partition.ts` and `cycle.ts` make the others.
 */
import { StoplogError } from '@stoplog/core';
import { type AnyTopic, checkName } from '@stoplog/core/kit';
import type { End, Node, Role } from '../nodes/node.ts';
import { placeOf } from './label.ts';
import { writtenTopic } from './wiring.ts';

const refuse = (facts: Readonly<Record<string, unknown>>, message: string): never => {
  throw new StoplogError('STOPLOG_TOPOLOGY', facts, message);
};

export const checkGraph = (name: string, ends: readonly End[], nodes: readonly Node[]): void => {
  checkName('pipeline', name);
  checkEnds(name, ends);
  checkTopics(nodes);
  checkOwners(nodes);
};

const checkEnds = (pipeline: string, ends: readonly End[]): void => {
  if (ends.length === 0)
    refuse(
      { pipeline },
      `pipeline '${pipeline}' has no ends, so there is nothing to do: give it some, as in pipeline('${pipeline}', stream(orders).to(copies))`,
    );
  const first = new Map<unknown, number>();
  const written = new Map<Node, { readonly target: string; readonly end: number }[]>();
  ends.forEach((end, i) => {
    const number = i + 1;
    const same = first.get(end);
    if (same !== undefined) refuse({ pipeline, end: number }, `end ${number} of pipeline '${pipeline}' is end ${same} again: name every end once`);
    first.set(end, number);
    const [input] = end.inputs;
    if (end.yields === 'nothing' && input !== undefined) {
      const others = written.get(input) ?? [];
      written.set(input, others);
      const target = end.writes.name;
      const twin = others.find((other) => other.target === target);
      if (twin !== undefined)
        refuse(
          { pipeline, end: number, topic: target },
          `ends ${twin.end} and ${number} of pipeline '${pipeline}' write the same records to '${target}', so each would be there twice: drop one of them, or write to another topic`,
        );
      others.push({ target, end: number });
    } else if (!ownsStore(end))
      refuse(
        { pipeline, end: number },
        `end ${number} of pipeline '${pipeline}' is a table that is not kept: write it with .to(compactedTopic), or give the fold itself as the end`,
      );
  });
};

/** A topic has one declaration, one way of being read, and one rekey that fills it. */
const checkTopics = (nodes: readonly Node[]): void => {
  const declared = new Map<string, AnyTopic>();
  const readAs = new Map<string, { readonly role: Role; readonly node: number }>();
  nodes.forEach((node, number) => {
    if (node.source !== undefined) checkName('source', node.source.name);
    if (node.writes?.kind === 'sink') checkName('sink', node.writes.name);
    const read = node.reads;
    const topic = read?.topic ?? writtenTopic(node);
    if (topic === undefined) return;
    checkName('topic', topic.name);
    const other = declared.get(topic.name) ?? topic;
    declared.set(topic.name, other);
    const differing = other === topic ? [] : differences(other, topic);
    if (differing.length > 0)
      refuse(
        { node: number, topic: topic.name, differing },
        `topic '${topic.name}' is declared twice in this pipeline, and the declarations differ (${differing.join(', ')}): declare it once and import it where it is needed`,
      );
    if (read === undefined) return;
    const before = readAs.get(topic.name) ?? { role: read.role, node: number };
    readAs.set(topic.name, before);
    if ((before.role === 'table') !== (read.role === 'table'))
      refuse(
        { node: number, topic: topic.name },
        `topic '${topic.name}' is read both as a stream (node ${read.role === 'table' ? before.node : number}) and as a table: read a compacted topic as table(${topic.name}), and its changes as table(${topic.name}).changes()`,
      );
    if (read.role === 'through' && before.role === 'through' && before.node !== number)
      refuse(
        { node: number, topic: topic.name },
        `two rekeys (nodes ${before.node} and ${number}) go through topic '${topic.name}', so each would be followed by the records of both: give each a topic of its own, and merge the two streams after them`,
      );
  });
};

const differences = (a: AnyTopic, b: AnyTopic): readonly string[] => {
  const shapes = [a.shape, b.shape] as const;
  const plain = (['partitions', 'cleanup', 'retentionMs', 'keyCodec', 'valueCodec'] as const)
    .filter((field) => shapes[0][field] !== shapes[1][field])
    .map((field) => `${field}: ${shapes[0][field] ?? 'none'} and ${shapes[1][field] ?? 'none'}`);
  const schemas = (['keySchema', 'valueSchema'] as const)
    .filter((field) => JSON.stringify(shapes[0][field]) !== JSON.stringify(shapes[1][field]))
    .map((field) => `the schema of its ${field === 'keySchema' ? 'key' : 'value'}`);
  return [...plain, ...schemas];
};

/** A store is written by one verb, and a source is pulled by one reader. */
const checkOwners = (nodes: readonly Node[]): void => {
  const owners = new Map<string, number>();
  const sources = new Map<string, unknown>();
  nodes.forEach((node, number) => {
    if (node.source !== undefined) {
      const { name } = node.source;
      if (sources.has(name) && sources.get(name) !== node.source)
        refuse({ node: number, source: name }, `two sources are named '${name}': give each its own name, or declare it once and import it where it is needed`);
      sources.set(name, node.source);
    }
    for (const { store, name } of node.stores ?? []) {
      // A table's own store is shared by all tables of its topic.
      if (store === undefined) continue;
      checkName('store', name);
      const owner = owners.get(name);
      const first = owner === undefined ? undefined : nodes[owner];
      if (owner !== undefined && first !== undefined)
        refuse(
          { node: number, store: name, owner },
          `store '${name}' is given to two verbs, ${placeOf(first, owner)} and ${placeOf(node, number)}, and each would overwrite the other's state: declare a second store${first.yields === 'changes' && first.verb === node.verb ? ', or use the table that the first one makes in both places' : ''}`,
        );
      owners.set(name, number);
    }
  });
};

const ownsStore = (node: Node): boolean => node.stores?.some(({ store }) => store !== undefined) ?? false;
