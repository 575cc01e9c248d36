/** `stoplog repair` */
import { resolve } from 'node:path';
import { StoplogError } from '@stoplog/core';
import { loadTools } from '@stoplog/core/tools';
import { repairData, repairLines, repairNotes, repairSummary } from '../text/inspection-text.ts';
import type { Command } from './command.ts';
import { watchInspection } from './inspection-progress.ts';
import { LOG_HELP, logArgument } from './log-argument.ts';
import { jsonOut } from './rows.ts';
import { StatusRow } from './status-row.ts';

export const repair: Command = {
  name: 'repair',
  summary: 'makes a new folder of what is sound in a damaged one',
  operands: [],
  options: { log: 'text', to: 'text', json: 'flag' },
  help: `Examples
  stoplog check --log lmdb:./data                       what is wrong
  stoplog repair --log lmdb:./data --to ./repaired      keep what is not
  mv data data.damaged && mv repaired data              and go on with it

Usage
  stoplog repair --to FOLDER [--log lmdb:FOLDER] [--json]

  --to FOLDER           a new folder, or an empty one
${LOG_HELP}
  --json                what was kept and lost as an object

The old folder is only read; stop what runs on it. Kept is what a checksum proves. What is lost is counted to the offset, and its
offsets stay empty: none is given again, and positions mean what they meant. A pipeline one of whose stores or positions may
be incomplete begins anew, which the output says. Killed, or Ctrl-C, it leaves FOLDER.repairing: run it again, it begins from the
beginning, or remove that.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const to = given.text('to');
    if (to === undefined)
      throw new StoplogError('STOPLOG_USAGE', {}, "a repaired log goes into a new folder: say which, such as --to ./repaired. See 'stoplog repair --help'");
    const module = await loadTools(argument.ref);
    const row = await StatusRow.on(process.stderr);
    const report = await module
      .repair(argument.ref.options, resolve(to), { progress: watchInspection(`repairing ${argument.text}`, row) })
      .finally(() => row.end());
    await output.write(given.flag('json') ? jsonOut(repairData(report)) : repairLines(report));
    for (const note of repairNotes(report)) output.say(note);
    output.say(repairSummary(report, to));
    return 0;
  },
};
