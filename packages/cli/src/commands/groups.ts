/** `stoplog groups` */
import { readLag } from '@stoplog/core/kit';
import { groupData, type GroupLag, groupRows } from '../text/group-text.ts';
import type { Command } from './command.ts';
import { partitionsOf } from './group-argument.ts';
import { groupsDelete } from './groups-delete.ts';
import { groupsDescribe } from './groups-describe.ts';
import { groupsExport } from './groups-export.ts';
import { groupsReset } from './groups-reset.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut, rowsText } from './rows.ts';

export const groups: Command = {
  name: 'groups',
  summary: 'lists the consumer groups with their lag; resets and deletes them',
  operands: [],
  options: { log: 'text', json: 'flag' },
  actions: [groupsDescribe, groupsReset, groupsExport, groupsDelete],
  help: `Examples
  stoplog groups                                        every group of the log in ./data, and its lag
  stoplog groups describe billing                       partition by partition, with rates and time to drain
  stoplog groups reset billing --to-earliest            what a reset would do; --execute does it

Usage
  stoplog groups [list] [--log lmdb:FOLDER] [--json]

${LOG_HELP}
  --json                an array; lagSeconds is the age of the oldest unread record, null like lag if the topics are not known

A consumer group is a set of processes that share positions: a pipeline is one, under its name. LAG counts the unread records,
OLDEST is the age of the first of them: it grows while a group stands still, so alert on it. MEMBERS are the processes that
share its partitions now. STORES hold the state that the group has folded, as of its positions. The topics of a group without
positions and members are not known: its lag is –.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const found: GroupLag[] = [];
    for (const description of await opened.module.groups(opened.log))
      found.push({ description, parts: await readLag(opened.log, description.group, partitionsOf(description, opened), Date.now) });
    if (given.flag('json')) await output.write(jsonOut(found.map(groupData)));
    else if (found.length === 0) output.say(`${argument.text} holds no groups yet: the first run of a pipeline makes one`);
    else await output.write(rowsText(groupRows(found), [3, 4, 5]));
    return 0;
  },
};
