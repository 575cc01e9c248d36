/** `stoplog describe x.pipeline.ts`, `stoplog describe --log lmdb:./data` */
import { StoplogError } from '@stoplog/core';
import { drawMermaid, drawText, loadPlanWatching } from '@stoplog/runtime/kit';
import { planData, storeLines } from '../text/plan-text.ts';
import { usageLines } from '../text/usage-text.ts';
import type { Arguments } from './arguments.ts';
import type { Command } from './command.ts';
import { logArgument, openForTools } from './log-argument.ts';
import type { Output } from './output.ts';
import { pipelineUrl } from './pipeline-argument.ts';
import { jsonOut } from './rows.ts';

export const describe: Command = {
  name: 'describe',
  summary: 'draws a pipeline: tasks, topics, stores; or says how large a log is',
  operands: [],
  optional: 'a pipeline module',
  options: { log: 'text', mermaid: 'flag', json: 'flag' },
  help: `Examples
  stoplog describe orders.pipeline.ts                   what will run, as text
  stoplog describe orders.pipeline.ts --mermaid         the same as a mermaid flowchart, for a README
  stoplog describe orders.pipeline.ts --json | jq .tasks
  stoplog describe --log lmdb:./data                    how large the log is, and how much of it is in use

Usage
  stoplog describe PIPELINE [--mermaid | --json]
  stoplog describe --log lmdb:FOLDER [--json]

  PIPELINE              a module that exports a pipeline by default, .ts or .js
  --mermaid             print a mermaid flowchart
  --json                print tasks, topics with their schemas, and stores as JSON

Each task is one actor per partition. A task begins where a topic is read and ends where topics are written; it owns
its stores. The twelve digits behind the name are the fingerprint that every thread must agree on. A pipeline is drawn
without a log, and a log described without a pipeline; 'stoplog topics describe' has the bytes of each partition.`,
  async run(given, output) {
    const [module] = given.operands;
    const log = given.text('log');
    if (module === undefined && log === undefined)
      throw new StoplogError('STOPLOG_USAGE', {}, 'there is nothing to describe: name a pipeline module, or a log with --log lmdb:FOLDER');
    if (module !== undefined && log !== undefined)
      throw new StoplogError('STOPLOG_USAGE', {}, 'a pipeline and --log exclude each other: describe one, then the other');
    if (module === undefined) return describeLog(given, output);
    if (given.flag('mermaid') && given.flag('json')) throw new StoplogError('STOPLOG_USAGE', {}, '--mermaid and --json exclude each other: choose one');
    const plan = await loadPlanWatching(pipelineUrl(module).href);
    if (given.flag('json')) await output.write(`${JSON.stringify(planData(plan), undefined, 2)}\n`);
    else if (given.flag('mermaid')) await output.write(drawMermaid(plan));
    else await output.write([drawText(plan), ...withNewline(storeLines(plan))].join(''));
    return 0;
  },
};

const withNewline = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['\n', ...lines.map((line) => `${line}\n`)]);

const describeLog = async (given: Arguments, output: Output): Promise<number> => {
  if (given.flag('mermaid')) throw new StoplogError('STOPLOG_USAGE', {}, '--mermaid draws a pipeline: name its module');
  const argument = logArgument(given.text('log'), { create: false });
  await using opened = await openForTools(argument);
  const usage = await opened.module.usage(opened.log);
  await output.write(given.flag('json') ? jsonOut(usage) : usageLines(argument.text, usage));
  return 0;
};
