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
  summary: 'rebuilds a damaged log in a new folder',
  operands: [],
  options: { log: 'text', to: 'text', json: 'flag' },
  help: `Examples
  stoplog check --log lmdb:./data                       what is wrong
  stoplog repair --log lmdb:./data --to ./repaired      rebuild the sound part
  mv data data.damaged && mv repaired data              and use the new folder

Usage
  stoplog repair --to FOLDER [--log lmdb:FOLDER] [--json]

  --to FOLDER           a new folder, or an empty one
${LOG_HELP}
  --json                what was kept and lost as an object

The old folder is only read; stop the processes that use it. An entry is kept if a checksum proves it. Lost offsets are counted
exactly and stay empty: no offset is assigned again, and positions stay valid. A pipeline of which a store or a position may be
incomplete starts from nothing, which the output reports. A repair that is killed or interrupted leaves FOLDER.repairing:
remove that folder, or run the command again, which starts from the beginning.`,
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
