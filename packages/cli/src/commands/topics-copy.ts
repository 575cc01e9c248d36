/** `stoplog topics copy FROM TO` */
import { StoplogError } from '@stoplog/core';
import type { TopicShape } from '@stoplog/core/port';
import { checkName, shapeDifference } from '@stoplog/core/kit';
import { type GroupDescription, occupiedError, topicFromShape } from '@stoplog/core/tools';
import { grouped, secondsText } from '@stoplog/runtime/kit';
import type { Command } from './command.ts';
import { type CopyProgress, copyTopic } from './copy-topic.ts';
import { exitCodeOf } from './interrupted.ts';
import { LOG_HELP, logArgument, type OpenedLog, openForTools, topicNamed } from './log-argument.ts';
import { StatusRow } from './status-row.ts';
import { onStop } from './stopping.ts';
import { partsOf, recordsIn } from './topic-parts.ts';

export const topicsCopy: Command = {
  name: 'topics copy',
  summary: 'copies a topic into one with another number of partitions, in the order of each key',
  operands: ['the topic to copy', 'the topic to make'],
  options: { log: 'text', partitions: 'text', json: 'flag' },
  help: `Examples
  stoplog topics copy orders orders-16 --partitions 16  interrupted or killed, and run again, it resumes where it was
  stoplog topics copy orders orders-copy                with the same number of partitions

Usage
  stoplog topics copy FROM TO [--partitions N] [--json] [--log lmdb:FOLDER]

  --partitions N        partitions of TO, which has all other settings of FROM; as many as FROM when left out
  --json                print what was copied as an object
${LOG_HELP}

Copies the records that FROM holds at the start, with keys, values, times, headers and tombstones unchanged; offsets are new.
Each key keeps its order; records without a key are spread. The progress is the position of the group copy.FROM.TO, committed
with the appends, so no record is missed or copied twice, whenever the command is killed. Run again, it copies the new records.
If FROM has arrival times, TO keeps the times of the copied records until you alter it. To move to TO: stop the producers of
FROM, copy once more, start them on TO, then 'stoplog groups delete copy.FROM.TO --execute'.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const [fromName, toName] = given.operands as readonly [string, string];
    checkName('topic', toName);
    if (fromName === toName) throw new StoplogError('STOPLOG_USAGE', { topic: fromName }, 'a topic cannot be copied into itself: name another topic');
    const group = `copy.${fromName}.${toName}`;
    checkName('pipeline', group);
    await using opened = await openForTools(argument);
    const from = topicNamed(fromName, opened.topics, argument, "'stoplog topics' lists them.");
    const existing = opened.topics.find(({ name }) => name === toName);
    // A topic with arrival times would stamp the copied records, so the copy keeps their times until you alter it.
    const { timestamps: _, ...to }: TopicShape = existing ?? { ...from, name: toName, partitions: given.number('partitions', 1) ?? from.partitions };
    topicFromShape(to, 'read'); // throws the errors of such a declaration
    const description = (await opened.module.groups(opened.log)).find((one) => one.group === group);
    if (description !== undefined && description.members.length > 0) throw occupiedError(group, description.members, description.epoch, Date.now());
    if (existing !== undefined)
      await checkTarget(from, { ...from, name: toName, partitions: given.number('partitions', 1) ?? existing.partitions }, existing, description, opened);
    else if (description !== undefined && description.positions.length > 0)
      throw new StoplogError(
        'STOPLOG_USAGE',
        { topic: toName, group },
        `group '${group}' has copied a part of '${fromName}' already, and '${toName}' is not there any more: delete the group to copy from the start, stoplog groups delete ${group} --execute`,
      );
    await opened.log.ensure([to], { group, owns: [], appends: [toName] });
    const row = await StatusRow.on(process.stderr);
    const watch = watching(`${from.name} → ${to.name}`, row);
    const stop = new AbortController();
    let interrupted: number | undefined;
    const stopListening = onStop((signal) => {
      interrupted = exitCodeOf(signal);
      stop.abort();
    });
    let last: CopyProgress = { copied: 0, passed: 0, total: 0 };
    let whole: boolean;
    try {
      whole = await copyTopic({ log: opened.log, from, to, group, signal: stop.signal, progress: (progress) => watch((last = progress)) });
    } finally {
      row.end();
      stopListening();
    }
    if (given.flag('json')) await output.write(`${JSON.stringify({ from: from.name, to: to.name, group, copied: last.copied, whole })}\n`);
    const copied = `${grouped(last.copied)} ${last.copied === 1 ? 'record' : 'records'} copied from ${from.name} to ${to.name}`;
    output.say(whole ? `${copied}: all that was there when it began` : `${copied}, and interrupted there: run it again to go on`);
    if (from.timestamps === 'arrival')
      output.say(
        `its records keep their times: ${to.name} takes them as given. Before others append to it: stoplog topics alter ${to.name} --timestamps arrival`,
      );
    return whole ? 0 : (interrupted ?? 1);
  },
};

/** An existing target must be made by this copy, or be empty. */
const checkTarget = async (
  from: TopicShape,
  wanted: TopicShape,
  existing: TopicShape,
  description: GroupDescription | undefined,
  { log }: OpenedLog,
): Promise<void> => {
  const difference = shapeDifference(wanted, existing);
  if (difference !== undefined)
    throw new StoplogError(
      'STOPLOG_TOPIC_SHAPE',
      { topic: existing.name, wanted, found: existing },
      `topic '${existing.name}' is there already, and is no copy of '${from.name}' in another number of partitions: choose a new name`,
    );
  const records = recordsIn(await partsOf(log, existing));
  if (records > 0 && (description === undefined || description.positions.length === 0)) {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic: existing.name, records },
      `topic '${existing.name}' holds ${grouped(records)} ${records === 1 ? 'record' : 'records'} that this copy did not append, and they would be mixed: choose a new name`,
    );
  }
};

const PLAIN_EVERY_MS = 5_000;
const DRAW_EVERY_MS = 100;

/** Redraws a row ten times a second; without a terminal, prints a line every five seconds. */
const watching = (what: string, row: StatusRow): ((progress: CopyProgress) => void) => {
  const began = performance.now();
  let reported = began;
  return ({ copied, passed, total }) => {
    const now = performance.now();
    if (now - reported < (row.live ? DRAW_EVERY_MS : PLAIN_EVERY_MS)) return;
    reported = now;
    const rate = copied / ((now - began) / 1000);
    const share = total === 0 ? 100 : Math.floor((passed / total) * 100);
    const line = `${what}   ${grouped(passed)} of ${grouped(total)}   ${share} %   ${grouped(rate)}/s   ${rate > 0 ? secondsText((total - passed) / rate) : '–'} left`;
    if (row.live) row.show(line);
    else row.say(line);
  };
};
