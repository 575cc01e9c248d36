/** `stoplog groups delete GROUP` */
import { occupiedError } from '@stoplog/core/tools';
import { contentsOf, contentsText } from '../text/group-contents.ts';
import type { Command } from './command.ts';
import { groupNamed } from './group-argument.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut } from './rows.ts';

export const groupsDelete: Command = {
  name: 'groups delete',
  summary: 'deletes a group with its positions, stores and internal topics',
  operands: ['a group'],
  options: { log: 'text', execute: 'flag', json: 'flag' },
  help: `Examples
  stoplog groups delete billing                         what would be deleted
  stoplog groups delete billing --execute               deletes it

Usage
  stoplog groups delete GROUP [--execute] [--json] [--log lmdb:FOLDER]

  --execute             delete; without it, nothing is changed
  --json                print what is, or would be, deleted as an object
${LOG_HELP}

A pipeline that is run again after this starts from nothing: it reads its topics from the start and rebuilds its stores.
The topics of its own 'through' are deleted with the group; records that it appended to other topics stay, and are appended
again. Refused while the group has a member, and while another group reads such a topic. To build a store anew without
appending anything again, raise its version and run the pipeline, or see 'stoplog rebuild --help'.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const execute = given.flag('execute');
    await using opened = await openForTools(argument);
    const description = groupNamed(given.operands[0]!, await opened.module.groups(opened.log), argument);
    if (description.members.length > 0) throw occupiedError(description.group, description.members, description.epoch, Date.now());
    if (execute) await opened.module.deleteGroup(opened.log, description.group);
    if (given.flag('json')) await output.write(jsonOut({ group: description.group, deleted: execute, ...contentsOf(description) }));
    else
      output.say(
        `group '${description.group}', ${contentsText(description)}: ${execute ? 'deleted' : 'would be deleted. Nothing was changed; add --execute to do it'}`,
      );
    return 0;
  },
};
