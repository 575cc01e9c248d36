/** `stoplog describe x.pipeline.ts` */
import { drawMermaid } from '../../pure/topology/mermaid.ts';
import { drawText } from '../../pure/topology/draw.ts';
import { planData, storeLines } from '../../pure/console/plan-text.ts';
import { StoplogError } from '@stoplog/core/port';
import { loadPlanWatching } from '../load-plan.ts';
import type { Command } from './command.ts';
import { pipelineUrl } from './pipeline-argument.ts';

export const describe: Command = {
  name: 'describe',
  summary: 'draws a pipeline: tasks, topics, stores; needs no log',
  operands: ['a pipeline module'],
  options: { mermaid: 'flag', json: 'flag' },
  help: `Examples
  stoplog describe orders.pipeline.ts                   what will run, as text
  stoplog describe orders.pipeline.ts --mermaid         the same as a mermaid flowchart, for a README
  stoplog describe orders.pipeline.ts --json | jq .tasks

Usage
  stoplog describe PIPELINE [--mermaid | --json]

  PIPELINE              a module that exports a pipeline by default, .ts or .js
  --mermaid             print a mermaid flowchart
  --json                print tasks, topics with their schemas, and stores as JSON

Each task is one actor per partition. A task begins where a topic is read and ends where topics are written; it owns
its stores. The twelve digits behind the name are the fingerprint that every thread must agree on.`,
  async run(given, output) {
    if (given.flag('mermaid') && given.flag('json')) throw new StoplogError('STOPLOG_USAGE', {}, '--mermaid and --json exclude each other: choose one');
    const plan = await loadPlanWatching(pipelineUrl(given.operands[0]!).href);
    if (given.flag('json')) await output.write(`${JSON.stringify(planData(plan), undefined, 2)}\n`);
    else if (given.flag('mermaid')) await output.write(drawMermaid(plan));
    else await output.write([drawText(plan), ...withNewline(storeLines(plan))].join(''));
    return 0;
  },
};

const withNewline = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['\n', ...lines.map((line) => `${line}\n`)]);
