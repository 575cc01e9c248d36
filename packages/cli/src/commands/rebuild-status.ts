/** `stoplog rebuild status` */
import { besideData, besideIn, besideRows } from '../text/rebuild-text.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut, rowsText } from './rows.ts';

export const rebuildStatus: Command = {
  name: 'rebuild status',
  summary: 'lists rebuilds, and the versions that are kept',
  operands: [],
  options: { log: 'text', json: 'flag' },
  help: `Examples
  stoplog rebuild status

Usage
  stoplog rebuild status [--json] [--log lmdb:FOLDER]

${LOG_HELP}
  --json                an array

BEHIND counts the records that the pipeline has processed, and the rebuild has not. A rebuild that stands still is continued by
the command or the program that began it; a kept version is taken back by 'stoplog rebuild undo'.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const all = besideIn(await opened.module.groups(opened.log));
    if (given.flag('json')) await output.write(jsonOut(all.map(besideData)));
    else if (all.length === 0) output.say(`no store of ${argument.text} is being rebuilt, and none is kept`);
    else await output.write(rowsText(besideRows(all), [3]));
    return 0;
  },
};
