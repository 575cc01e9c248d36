/**
 * Two topics can only be joined or merged when equal keys are in equal partitions: the topics have the same number of partitions, and
 * encode a key as the same bytes.
 *
 * Actor p of a task reads partition p of each of its topics. If the counts differed, a customer and their orders would be with two
 * actors, and the join would find nothing without any error.
 */
import { StoplogError } from '@stoplog/core';
import type { AnyTopic } from '@stoplog/core/kit';
import type { Node } from '../nodes/node.ts';

export const checkCoPartitioning = (nodes: readonly Node[]): void => {
  // All topics behind a node agree already, so one topic represents all of them.
  const topics = new Map<Node, AnyTopic | undefined>();
  nodes.forEach((node, number) => {
    const [first, second] = node.inputs.map((input) => topics.get(input));
    topics.set(node, node.reads?.topic ?? first);
    if (first === undefined || second === undefined) return;
    const verb = node.meeting ?? node.verb;
    if (first.partitions !== second.partitions)
      throw new StoplogError(
        'STOPLOG_TOPOLOGY',
        { node: number, topics: [first.name, second.name], partitions: [first.partitions, second.partitions] },
        `cannot ${verb} '${first.name}' (${count(first)}) with '${second.name}' (${count(second)}): equal keys would live in different partitions. ` +
          `Declare both topics with the same number of partitions, or send one side through a topic with ${second.partitions}: .rekey((_, r) => r.key).through(...)`,
      );
    const [codec, other] = [first.shape.keyCodec, second.shape.keyCodec];
    if (codec !== other)
      throw new StoplogError(
        'STOPLOG_TOPOLOGY',
        { node: number, topics: [first.name, second.name], codecs: [codec, other] },
        `cannot ${verb} '${first.name}' (keys as ${codec}) with '${second.name}' (keys as ${other}): equal keys would be different bytes and live in different partitions. ` +
          `Declare both topics with the same codec for their keys, or send one side through a topic with codec: { key: '${other}' }: .rekey((_, r) => r.key).through(...)`,
      );
  });
};

const count = (topic: AnyTopic): string => (topic.partitions === 1 ? '1 partition' : `${topic.partitions} partitions`);
