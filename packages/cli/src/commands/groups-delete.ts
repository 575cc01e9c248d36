/** `stoplog groups delete GROUP` */
import { type GroupStanding, occupiedError } from '@stoplog/core/tools';
import type { Command } from './command.ts';
import { groupNamed } from './group-argument.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut } from './rows.ts';

export const groupsDelete: Command = {
  name: 'groups delete',
  summary: 'deletes the positions and the stores of a group',
  operands: ['a group'],
  options: { log: 'text', execute: 'flag', json: 'flag' },
  help: `Examples
  stoplog groups delete billing                         what would be deleted
  stoplog groups delete billing --execute               deletes it

Usage
  stoplog groups delete GROUP [--execute] [--json] [--log lmdb:FOLDER]

  --execute             do it; without, nothing is changed
  --json                print what is, or would be, deleted as an object
${LOG_HELP}

A pipeline that is run again after this begins anew: it reads its topics from the start and folds its stores from nothing.
That is how a store is rebuilt. What it has appended to topics stays there, and will be appended again. Refused while
somebody is in the group.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const execute = given.flag('execute');
    await using opened = await openForTools(argument);
    const standing = groupNamed(given.operands[0]!, await opened.module.groups(opened.log), argument);
    if (standing.members.length > 0) throw occupiedError(standing.group, standing.members, standing.epoch, Date.now());
    if (execute) await opened.module.deleteGroup(opened.log, standing.group);
    if (given.flag('json')) await output.write(jsonOut({ group: standing.group, deleted: execute, ...contentsOf(standing) }));
    else
      output.say(
        `group '${standing.group}', ${contentsText(standing)}: ${execute ? 'deleted' : 'would be deleted. Nothing was changed; add --execute to do it'}`,
      );
    return 0;
  },
};

const contentsOf = ({ positions, stores }: GroupStanding): { readonly positions: number; readonly stores: readonly string[] } => ({
  positions: positions.length,
  stores: stores.map(({ store }) => store),
});
const contentsText = (standing: GroupStanding): string => {
  const { positions, stores } = contentsOf(standing);
  return `its ${positions} ${positions === 1 ? 'position' : 'positions'} and ${stores.length === 0 ? 'no stores' : `${stores.length === 1 ? 'the store' : 'the stores'} ${stores.join(', ')}`}`;
};
