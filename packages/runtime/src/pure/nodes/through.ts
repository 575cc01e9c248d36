/**
 * rekey and through: give records another key and send them through a topic, in which equal keys meet.
 *
 * The node is in two tasks, which meet only in the topic: its inputs' task appends (compiled here), and the task that reads the topic
 * continues with the following nodes.
 */
import { parseKey, type AnyTopic } from '@stoplog/core/kit';
import { targetFacts } from './declared.ts';
import { inVerb, settled } from './handler.ts';
import type { StreamNode } from './node.ts';
import type { AnyRecord } from './record.ts';

export const through = (input: StreamNode, by: (value: unknown, record: AnyRecord) => unknown, topic: AnyTopic): StreamNode => ({
  kind: 'through',
  verb: 'rekey',
  yields: 'records',
  inputs: [input],
  declares: { topic: targetFacts(topic) },
  reads: { topic, role: 'through' },
  writes: topic,
  compile: (task) => {
    const output = task.output(topic);
    task.onRecord(input, (record) => {
      let key: unknown;
      try {
        key = settled('rekey', by(record.value, record));
      } catch (error) {
        throw inVerb('rekey', error);
      }
      // The result of a handler is trusted, but a record without a key would leave its peers: the topic's schema decides.
      if (key === null) parseKey(topic, null);
      output.rekeyed(key, record);
    });
  },
});
