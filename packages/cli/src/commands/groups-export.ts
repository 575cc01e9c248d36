/** `stoplog groups export GROUP` */
import { positionsText } from '@stoplog/core/tools';
import type { Command } from './command.ts';
import { groupNamed } from './group-argument.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';

export const groupsExport: Command = {
  name: 'groups export',
  summary: 'prints the positions of a group as CSV, which reset reads',
  operands: ['a group'],
  options: { log: 'text' },
  help: `Examples
  stoplog groups export billing > billing.csv
  stoplog groups reset billing --from-file billing.csv  what a reset to these positions would do

Usage
  stoplog groups export GROUP [--log lmdb:FOLDER]

${LOG_HELP}

A line is topic,partition,offset, without a heading; the offset is that of the next record to be read. Partitions where the
group has committed no position are left out: the group reads them from the start.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    await output.write(positionsText(groupNamed(given.operands[0]!, await opened.module.groups(opened.log), argument).positions));
    return 0;
  },
};
