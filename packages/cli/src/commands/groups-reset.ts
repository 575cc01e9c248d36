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
  summary: 'puts a group elsewhere: shows the plan, and with --execute carries it out',
  operands: ['a group'],
  options: { log: 'text', topic: 'text', partition: 'text', ...TARGETS, execute: 'flag', csv: 'flag', json: 'flag' },
  help: `Examples
  stoplog groups reset billing --to-earliest            what it would do; nothing is changed
  stoplog groups reset billing --to-earliest --execute  the same, and then does it
  stoplog groups reset billing --by-duration 2h --topic orders
  stoplog groups reset billing --shift-by=-100 --topic orders --partition 2
  stoplog groups reset billing --to-datetime 2026-01-02T03:04:05Z --csv > plan.csv
  stoplog groups reset billing --from-file plan.csv --execute

Usage
  stoplog groups reset GROUP WHERE [--topic T,…] [--partition N] [--execute] [--csv | --json] [--log lmdb:FOLDER]

WHERE is exactly one of
  --to-earliest         the first record that is kept
  --to-latest           the end: what is there now is not read
  --to-current          where it stands; a position that the log no longer holds moves to the start
  --to-offset N         offset N of each partition
  --to-datetime TIME    the first record at or after a time (2026-01-02, which begins in UTC, or 2026-01-02T03:04:05Z)
  --by-duration D       the first record of the last D: 90s, 15m, 2h, 7d, or PT15M
  --shift-by N          N records on; back with --shift-by=-N
  --from-file F         where the lines topic,partition,offset say, of the partitions that they name

  --topic T,…           only these topics; also topics that the group never read, and a group that does not exist yet
  --partition N         only this partition of the one topic
  --execute             carry the plan out; without, nothing is changed
  --csv                 print the plan as lines that --from-file takes: what is carried out later is then this plan
  --json                print the plan as an object
${LOG_HELP}

A place outside the log becomes its nearer end. Refused while somebody is in the group, and when it stands elsewhere than
the plan says by the time it is carried out: a plan is carried out whole, or not at all. What a pipeline has folded into
its stores stays as it is, and the command says which stores that makes wrong.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const target = targetIn(given, Date.now());
    if (given.flag('csv') && given.flag('json')) throw new StoplogError('STOPLOG_USAGE', {}, '--csv and --json exclude each other: choose one');
    const execute = given.flag('execute');
    await using opened = await openForTools(argument);
    const name = given.operands[0]!;
    const groups = await opened.module.groups(opened.log);
    const standing = groups.find(({ group }) => group === name);
    if (standing !== undefined && standing.members.length > 0) throw occupiedError(name, standing.members, standing.epoch, Date.now());
    const plan = planReset(target, await placesOf(given, target, groups, opened, argument));
    const stores = storesLeftBehind(standing?.stores.map(({ store }) => store) ?? [], plan);
    const print = async (): Promise<void> => {
      if (given.flag('json')) await output.write(jsonOut({ group: name, executed: execute, plan: planData(plan), inconsistentStores: stores }));
      else if (given.flag('csv')) await output.write(positionsText(plan.map(({ topic, partition, to }) => ({ topic, partition, offset: to }))));
      else await output.write(rowsText(planRows(plan), [1, 2, 3, 4]));
    };
    // As JSON it says that it was done, so it is done first.
    if (!given.flag('json')) await print();
    if (execute) await opened.module.setPositions(opened.log, name, plan);
    if (given.flag('json')) await print();
    output.say(resetText(plan, execute));
    if (stores.length > 0) output.say(storesText(name, stores));
    return 0;
  },
};
