/** `stoplog describe x.pipeline.ts`, `stoplog describe --log lmdb:./data` */
import { StoplogError } from '@stoplog/core';
import { drawMermaid, drawText, loadPlanWatching, type Plan } from '@stoplog/runtime/kit';
import { lagLines, planData, storeLines, type TaskLag } from '../text/plan-text.ts';
import { usageLines } from '../text/usage-text.ts';
import type { Arguments } from './arguments.ts';
import type { Command } from './command.ts';
import { type LogArgument, logArgument, openForTools } from './log-argument.ts';
import type { Output } from './output.ts';
import { pipelineUrl } from './pipeline-argument.ts';
import { lagOf } from './plan-lag.ts';
import { jsonOut } from './rows.ts';

export const describe: Command = {
  name: 'describe',
  summary: 'draws a pipeline: tasks, topics, stores; or shows the size of a log',
  operands: [],
  optional: 'a pipeline module',
  options: { log: 'text', mermaid: 'flag', json: 'flag' },
  help: `Examples
  stoplog describe orders.pipeline.ts                   the pipeline as text
  stoplog describe orders.pipeline.ts --mermaid         the same as a mermaid flowchart, for a README
  stoplog describe orders.pipeline.ts --json | jq .tasks
  stoplog describe orders.pipeline.ts --log lmdb:./data  the same, with its lag
  stoplog describe --log lmdb:./data                    the size of the log, and the share in use

Usage
  stoplog describe PIPELINE [--log lmdb:FOLDER] [--json]
  stoplog describe PIPELINE --mermaid
  stoplog describe --log lmdb:FOLDER [--json]

  PIPELINE              a module that exports a pipeline by default, .ts or .js
  --log lmdb:FOLDER     add the lag of each task: the number of unread records, and the age of the oldest
  --mermaid             print a mermaid flowchart
  --json                print tasks, topics with their schemas, and stores as JSON

Each task is one actor per partition. A task begins where a topic is read and ends where topics are written; each store
belongs to one task. The twelve digits after the name are the fingerprint, which is the same in every thread. A pipeline can be
described without a log, and a log without a pipeline; 'stoplog topics describe' shows the bytes of each partition.`,
  async run(given, output) {
    const [module] = given.operands;
    const log = given.text('log');
    if (module === undefined && log === undefined)
      throw new StoplogError('STOPLOG_USAGE', {}, 'there is nothing to describe: name a pipeline module, or a log with --log lmdb:FOLDER');
    if (module === undefined) return describeLog(given, output);
    if (given.flag('mermaid') && given.flag('json')) throw new StoplogError('STOPLOG_USAGE', {}, '--mermaid and --json exclude each other: choose one');
    if (given.flag('mermaid') && log !== undefined)
      throw new StoplogError('STOPLOG_USAGE', {}, '--mermaid and --log exclude each other: a flowchart shows no lag, so leave one of them out');
    const argument = log === undefined ? undefined : logArgument(log, { create: false });
    const plan = await loadPlanWatching(pipelineUrl(module).href);
    const lags = argument === undefined ? undefined : await lagsIn(argument, plan);
    if (given.flag('json')) await output.write(jsonOut(planData(plan, lags)));
    else if (given.flag('mermaid')) await output.write(drawMermaid(plan));
    else await output.write([drawText(plan), ...withNewline(storeLines(plan)), ...withNewline(lags === undefined ? [] : lagLines(lags))].join(''));
    return 0;
  },
};

const withNewline = (lines: readonly string[]): readonly string[] => (lines.length === 0 ? [] : ['\n', ...lines.map((line) => `${line}\n`)]);

const lagsIn = async (argument: LogArgument, plan: Plan): Promise<readonly TaskLag[]> => {
  await using opened = await openForTools(argument);
  return await lagOf(plan, opened);
};

const describeLog = async (given: Arguments, output: Output): Promise<number> => {
  if (given.flag('mermaid')) throw new StoplogError('STOPLOG_USAGE', {}, '--mermaid draws a pipeline: name its module');
  const argument = logArgument(given.text('log'), { create: false });
  await using opened = await openForTools(argument);
  const usage = await opened.module.usage(opened.log);
  await output.write(given.flag('json') ? jsonOut(usage) : usageLines(argument.text, usage));
  return 0;
};
