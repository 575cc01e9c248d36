/** `stoplog groups describe GROUP` */
import { setTimeout as after } from 'node:timers/promises';
import type { PartitionLag } from '@stoplog/core';
import { drainSeconds, ratesBetween, readLag } from '@stoplog/core/kit';
import { occupantText } from '@stoplog/core/tools';
import { readNotes } from '@stoplog/runtime/kit';
import { noteData, noteText } from '../text/failure-text.ts';
import { groupData, holdsText, paceData, paceRows, type PartitionPace } from '../text/group-text.ts';
import type { Command } from './command.ts';
import { groupNamed, partitionsOf } from './group-argument.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut, rowsText } from './rows.ts';

/** One day: longer than useful, and well below the limit of a timer (24.8 days). */
const LONGEST_SECONDS = 86_400;

export const groupsDescribe: Command = {
  name: 'groups describe',
  summary: 'shows positions, lag, rates and time to drain of each partition',
  operands: ['a group'],
  options: { log: 'text', over: 'text', json: 'flag' },
  help: `Examples
  stoplog groups describe billing                       reads the positions twice, a second apart, for the rates
  stoplog groups describe billing --over 10             rates over ten seconds
  stoplog groups describe billing --over 0 --json       at once, without rates

Usage
  stoplog groups describe GROUP [--over SECONDS] [--json] [--log lmdb:FOLDER]

  --over SECONDS        the time over which rates are measured: 1 when left out, 0 for no rates
  --json                an object with its partitions, members and stores
${LOG_HELP}

POSITION is the next offset to be read, LAG the number of records from there to END, OLDEST the age of the first of them.
READ/S records are read and NEW/S appended per second. DRAINS is when the lag is gone at these rates: lag / (read − new). A lag
of 720 000, with 1 500 records read and 1 200 appended per second, drains in 40m; it never drains if no more records are read
than appended. MEMBER is the process to which the partition is assigned; below the table, each partition that has failed for
good, with the reason and the command that leaves the record out, and each member with its partitions.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const over = given.number('over', 0, LONGEST_SECONDS) ?? 1;
    await using opened = await openForTools(argument);
    const name = given.operands[0]!;
    const look = async (): Promise<{ readonly at: number; readonly parts: readonly PartitionLag[] }> => ({
      at: performance.now(),
      parts: await readLag(opened.log, name, partitionsOf(groupNamed(name, await opened.module.groups(opened.log), argument), opened), Date.now),
    });
    let now = await look();
    let before = now;
    if (over > 0) {
      await after(over * 1000, undefined, { signal: output.gone }).catch(() => {});
      before = now;
      now = await look();
    }
    const description = groupNamed(name, await opened.module.groups(opened.log), argument);
    const seconds = (now.at - before.at) / 1000;
    const paces = now.parts.map((lag): PartitionPace => {
      const last = before.parts.find(({ topic, partition }) => topic === lag.topic && partition === lag.partition);
      if (last === undefined || seconds === 0) return { lag, consumed: undefined, produced: undefined, drainSeconds: drainSeconds(lag.records, 0, 0) };
      const { consumed, produced } = ratesBetween(last, lag, seconds);
      return { lag, consumed, produced, drainSeconds: drainSeconds(lag.records, consumed, produced) };
    });
    // Opening a store that is not there would make it.
    const failed = description.hasNotes === true ? await readNotes(opened.log, name, Math.max(0, ...opened.topics.map(({ partitions }) => partitions))) : [];
    if (given.flag('json')) {
      await output.write(
        jsonOut({
          ...(groupData({ description, parts: now.parts }) as object),
          partitions: paces.map((pace) => paceData(pace, description.members)),
          failed: failed.map(noteData),
        }),
      );
      return 0;
    }
    if (paces.length === 0) output.say(`group '${name}' has committed no position yet: its members read from the start`);
    else await output.write(rowsText(paceRows(paces, description.members), [1, 2, 3, 4, 5, 6, 7]));
    for (const one of failed) output.say(noteText(one, Date.now(), given.text('log')));
    for (const member of description.members) output.say(`${occupantText(member, Date.now())}; it has ${holdsText(member)}`);
    if (description.stores.length > 0) output.say(`stores: ${description.stores.map(({ store, version }) => `${store} (version ${version})`).join(', ')}`);
    return 0;
  },
};
