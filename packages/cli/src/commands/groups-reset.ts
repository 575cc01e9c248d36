/** `stoplog groups reset GROUP` */
import { StoplogError } from '@stoplog/core';
import { occupiedError, planReset, positionsText } from '@stoplog/core/tools';
import { planData, planRows } from '../text/group-text.ts';
import { resetText, storesLeftBehind, storesText } from '../text/reset-text.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { placesOf, targetIn, TARGETS } from './reset-argument.ts';
import { jsonOut, rowsText } from './rows.ts';

export const groupsReset: Command = {
  name: 'groups reset',
  summary: 'moves the positions of a group: shows the plan, and with --execute carries it out',
  operands: ['a group'],
  options: { log: 'text', topic: 'text', partition: 'text', ...TARGETS, execute: 'flag', csv: 'flag', json: 'flag' },
  help: `Examples
  stoplog groups reset billing --to-earliest            shows the plan; nothing is changed
  stoplog groups reset billing --to-earliest --execute  shows the plan and carries it out
  stoplog groups reset billing --by-duration 2h --topic orders
  stoplog groups reset billing --shift-by=-100 --topic orders --partition 2
  stoplog groups reset billing --to-datetime 2026-01-02T03:04:05Z --csv > plan.csv
  stoplog groups reset billing --from-file plan.csv --execute

Usage
  stoplog groups reset GROUP WHERE [--topic T,…] [--partition N] [--execute] [--csv | --json] [--log lmdb:FOLDER]

WHERE is exactly one of
  --to-earliest         the first record that is kept
  --to-latest           the end: stored records are not read
  --to-current          its present position; a position that the log no longer holds moves to the start
  --to-offset N         offset N of each partition
  --to-datetime TIME    the first record at or after a time (2026-01-02, which begins in UTC, or 2026-01-02T03:04:05Z)
  --by-duration D       the first record of the last D: 90s, 15m, 2h, 7d, or PT15M
  --shift-by N          N records forward; back with --shift-by=-N
  --from-file F         the offsets in the lines topic,partition,offset of a file; other partitions stay

  --topic T,…           only these topics; also topics that the group never read, and a group that does not exist yet
  --partition N         only this partition of the one topic
  --execute             carry the plan out; without it, nothing is changed
  --csv                 print the plan as lines that --from-file reads, to carry out exactly this plan later
  --json                print the plan as an object
${LOG_HELP}

An offset outside the log becomes the nearer end. Refused while the group has a member, and if a position has changed since
the plan was made: a plan is carried out whole, or not at all. The stores of a pipeline are not changed, and the command
names the stores that are no longer consistent.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const target = targetIn(given, Date.now());
    if (given.flag('csv') && given.flag('json')) throw new StoplogError('STOPLOG_USAGE', {}, '--csv and --json exclude each other: choose one');
    const execute = given.flag('execute');
    await using opened = await openForTools(argument);
    const name = given.operands[0]!;
    const groups = await opened.module.groups(opened.log);
    const description = groups.find(({ group }) => group === name);
    if (description !== undefined && description.members.length > 0) throw occupiedError(name, description.members, description.epoch, Date.now());
    const plan = planReset(target, await placesOf(given, target, groups, opened, argument));
    const stores = storesLeftBehind(description?.stores.map(({ store }) => store) ?? [], plan);
    const print = async (): Promise<void> => {
      if (given.flag('json')) await output.write(jsonOut({ group: name, executed: execute, plan: planData(plan), inconsistentStores: stores }));
      else if (given.flag('csv')) await output.write(positionsText(plan.map(({ topic, partition, to }) => ({ topic, partition, offset: to }))));
      else await output.write(rowsText(planRows(plan), [1, 2, 3, 4]));
    };
    // The JSON reports whether the plan was carried out, so it is printed afterwards.
    if (!given.flag('json')) await print();
    if (execute) await opened.module.setPositions(opened.log, name, plan);
    if (given.flag('json')) await print();
    output.say(resetText(plan, execute));
    if (stores.length > 0) output.say(storesText(name, stores));
    return 0;
  },
};
