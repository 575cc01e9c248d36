/**
 * The plan as a mermaid flowchart: topics outside, a box for each task, a node for each verb.
 *
 * Ids are ours (`n3`, `topic1`), names only stand in quoted labels, where everything but plain characters is written as
 * its code: no name can close a label and go on as syntax.
 */
import type { AnyTopic } from '@stoplog/core/port';
import { inputsOf, type Node } from './graph.ts';
import { verbOf } from './label.ts';
import type { Plan } from './plan.ts';
import { readsOf } from './wiring.ts';

export const drawMermaid = (plan: Plan): string => {
  const numbers = new Map(plan.nodes.map((node, number) => [node, number]));
  const topicIds = new Map(plan.topics.map(({ name }, i) => [name, `topic${i}`]));
  const topicId = (topic: AnyTopic): string => topicIds.get(topic.name) ?? '';
  const edges: string[] = [];
  const outside = plan.topics.map((topic) => `  ${topicId(topic)}[("${escape(topic.name)}")]`);
  const idOf = (node: Node): string => `n${numbers.get(node)}`;
  /** Where a node's records come from, as seen by the next: a reader's topic stands for the reader. */
  const outlet = (node: Node): string => {
    const read = readsOf(node);
    return read === undefined ? idOf(node) : topicId(read.topic);
  };

  for (const node of plan.nodes) {
    if (node.kind === 'source') outside.push(`  ${idOf(node)}(["${escape(node.source.name)}"])`);
    if ((node.kind === 'to' || node.kind === 'table-to') && node.target.kind === 'sink') outside.push(`  ${idOf(node)}(["${escape(node.target.name)}"])`);
    const into = (node.kind === 'to' || node.kind === 'table-to') && node.target.kind !== 'sink' ? topicId(node.target) : idOf(node);
    for (const input of inputsOf(node)) edges.push(`  ${outlet(input)} ${input.kind === 'table' ? '-->|table|' : '-->'} ${into}`);
    if (node.kind === 'through') edges.push(`  ${idOf(node)} --> ${topicId(node.topic)}`);
  }
  const boxes = plan.tasks.flatMap((task) => {
    const inputs = new Set(task.inputs.map(({ topic }) => topic.name));
    const verbs = task.nodes.filter(
      (node) => !inputs.has(readsOf(node)?.topic.name ?? '') && node.kind !== 'source' && node.kind !== 'to' && node.kind !== 'table-to',
    );
    const title = `task ${task.id} · ${task.partitions} partition${task.partitions === 1 ? '' : 's'}`;
    if (verbs.length === 0) return []; // from one topic straight to another: the wire says it
    return [`  subgraph task${task.id}["${title}"]`, ...verbs.map((node) => `    ${idOf(node)}["${escape(labelOf(node))}"]`), '  end'];
  });
  return ['flowchart LR', ...outside, ...boxes, ...edges, ''].join('\n');
};

const labelOf = (node: Node): string => (node.kind === 'fold' || node.kind === 'process' ? `${verbOf(node)} ${node.store.name}` : verbOf(node));

const escape = (text: string): string => text.replaceAll(/[^a-zA-Z0-9._ -]/gu, (char) => `#${char.codePointAt(0) ?? 0};`);
