/** `stoplog groups describe GROUP` */
import { setTimeout as after } from 'node:timers/promises';
import type { PartitionLag } from '@stoplog/core';
import { drainSeconds, ratesBetween, readLag } from '@stoplog/core/kit';
import { occupantText } from '@stoplog/core/tools';
import { groupData, holdsText, paceData, paceRows, type PartitionPace } from '../text/group-text.ts';
import type { Command } from './command.ts';
import { groupNamed, partitionsOf } from './group-argument.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut, rowsText } from './rows.ts';

/** Far longer than anybody looks, and well below what a timer can count. */
const LONGEST_SECONDS = 86_400;

export const groupsDescribe: Command = {
  name: 'groups describe',
  summary: 'positions, lag, rates and time to drain of each partition',
  operands: ['a group'],
  options: { log: 'text', over: 'text', json: 'flag' },
  help: `Examples
  stoplog groups describe billing                       looks twice, a second apart, to tell rates
  stoplog groups describe billing --over 10             rates over ten seconds
  stoplog groups describe billing --over 0 --json       at once, without rates

Usage
  stoplog groups describe GROUP [--over SECONDS] [--json] [--log lmdb:FOLDER]

  --over SECONDS        how long to look for rates: 1 when left out, 0 for none
  --json                an object with its partitions, members and stores
${LOG_HELP}

POSITION is the next offset to be read, LAG the records from there to END, OLDEST the age of the first of them. READ/S are
read and NEW/S appended a second. DRAINS is when the lag is gone if both go on: lag / (read − new). 720 000 behind, reading
1 500 a second while 1 200 come: in 40m. Where no more is read than comes, it is never. MEMBER is the process that has the
partition now; below, each member of the group with what it has.`,
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
    const standing = groupNamed(name, await opened.module.groups(opened.log), argument);
    const seconds = (now.at - before.at) / 1000;
    const paces = now.parts.map((lag): PartitionPace => {
      const last = before.parts.find(({ topic, partition }) => topic === lag.topic && partition === lag.partition);
      if (last === undefined || seconds === 0) return { lag, consumed: undefined, produced: undefined, drainSeconds: drainSeconds(lag.records, 0, 0) };
      const { consumed, produced } = ratesBetween(last, lag, seconds);
      return { lag, consumed, produced, drainSeconds: drainSeconds(lag.records, consumed, produced) };
    });
    if (given.flag('json')) {
      await output.write(
        jsonOut({ ...(groupData({ standing, parts: now.parts }) as object), partitions: paces.map((pace) => paceData(pace, standing.members)) }),
      );
      return 0;
    }
    if (paces.length === 0) output.say(`group '${name}' has committed no position yet: it will read from the start`);
    else await output.write(rowsText(paceRows(paces, standing.members), [1, 2, 3, 4, 5, 6, 7]));
    for (const member of standing.members) output.say(`${occupantText(member, Date.now())}; it has ${holdsText(member)}`);
    if (standing.stores.length > 0) output.say(`stores: ${standing.stores.map(({ store, version }) => `${store} (version ${version})`).join(', ')}`);
    return 0;
  },
};
