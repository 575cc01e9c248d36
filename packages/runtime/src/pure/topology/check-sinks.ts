/**
 * A sink keeps one position for each writer: the position of the records that were written. So a task that writes to a sink reads one
 * topic. With two, the order in which their records are taken may differ after a crash, and one number would not tell which records the
 * sink already has.
 */
import { StoplogError } from '@stoplog/core';
import type { AnySink } from '../nodes/node.ts';

interface SinkTask {
  readonly inputs: readonly { readonly topic: { readonly name: string } }[];
  readonly sinks: readonly AnySink[];
}

export const checkSinks = (tasks: readonly SinkTask[]): void => {
  const declared = new Map<string, AnySink>();
  for (const { inputs, sinks } of tasks) {
    for (const sink of sinks) {
      const { name } = sink;
      if (declared.has(name) && declared.get(name) !== sink)
        throw new StoplogError(
          'STOPLOG_TOPOLOGY',
          { sink: name },
          `two sinks are named '${name}': give each its own name, or declare it once and import it where it is needed`,
        );
      declared.set(name, sink);
      if (inputs.length === 1) continue;
      const topics = inputs.map((input) => input.topic.name);
      throw new StoplogError(
        'STOPLOG_TOPOLOGY',
        { sink: name, topics },
        `sink '${name}' is written by a task that reads ${topics.map((topic) => `'${topic}'`).join(' and ')}, and a sink keeps the position of one topic: write to a topic first, and that to the sink: .to(results), stream(results).to(${name})`,
      );
    }
  }
};
