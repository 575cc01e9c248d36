/**
 * Draws the plan as a mermaid flowchart: topics outside, a box for each task, a node for each verb.
 *
 * Ids are generated (`n3`, `topic1`). Names occur only in quoted labels, where every special character is written as its code, so no name
 * can close a label and continue as syntax.
 */
import type { AnyTopic } from '@stoplog/core/kit';
import type { Node } from '../nodes/node.ts';
import type { Plan } from './plan.ts';
import { writtenTopic } from './wiring.ts';

export const drawMermaid = (plan: Plan): string => {
  const numbers = new Map(plan.nodes.map((node, number) => [node, number]));
  const topicIds = new Map(plan.topics.map(({ name }, i) => [name, `topic${i}`]));
  const topicId = (topic: AnyTopic): string => topicIds.get(topic.name) ?? '';
  const edges: string[] = [];
  const outside = plan.topics.map((topic) => `  ${topicId(topic)}[("${escape(topic.name)}")]`);
  const idOf = (node: Node): string => `n${numbers.get(node)}`;
  /** The origin of an edge from this node: a node that reads a topic is represented by the topic. */
  const outlet = (node: Node): string => (node.reads === undefined ? idOf(node) : topicId(node.reads.topic));

  for (const node of plan.nodes) {
    if (node.source !== undefined) outside.push(`  ${idOf(node)}(["${escape(node.source.name)}"])`);
    if (node.writes?.kind === 'sink') outside.push(`  ${idOf(node)}(["${escape(node.writes.name)}"])`);
    const written = writtenTopic(node);
    const into = node.yields === 'nothing' && written !== undefined ? topicId(written) : idOf(node);
    for (const input of node.inputs) edges.push(`  ${outlet(input)} ${input.reads?.role === 'table' ? '-->|table|' : '-->'} ${into}`);
    if (node.yields !== 'nothing' && written !== undefined) edges.push(`  ${idOf(node)} --> ${topicId(written)}`);
  }
  const boxes = plan.tasks.flatMap((task) => {
    const inputs = new Set(task.inputs.map(({ topic }) => topic.name));
    const verbs = task.nodes.filter((node) => !inputs.has(node.reads?.topic.name ?? '') && node.source === undefined && node.yields !== 'nothing');
    const title = `task ${task.id} · ${task.partitions} partition${task.partitions === 1 ? '' : 's'}`;
    if (verbs.length === 0) return []; // an edge between two topics: the edge carries the label
    return [`  subgraph task${task.id}["${title}"]`, ...verbs.map((node) => `    ${idOf(node)}["${escape(labelOf(node))}"]`), '  end'];
  });
  return ['flowchart LR', ...outside, ...boxes, ...edges, ''].join('\n');
};

const labelOf = ({ verb, detail }: Node): string => (detail === undefined ? verb : `${verb} ${detail}`);

const escape = (text: string): string => text.replaceAll(/[^a-zA-Z0-9._ -]/gu, (char) => `#${char.codePointAt(0) ?? 0};`);
