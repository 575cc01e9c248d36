/** `stoplog topics delete NAME` */
import { type GroupDescription, occupiedError } from '@stoplog/core/tools';
import { grouped } from '@stoplog/runtime/kit';
import { contentsOf, contentsText } from '../text/group-contents.ts';
import type { Command } from './command.ts';
import { topicsOf } from './group-argument.ts';
import { LOG_HELP, logArgument, openForTools, topicNamed } from './log-argument.ts';
import { jsonOut } from './rows.ts';
import { partsOf, recordsIn } from './topic-parts.ts';

export const topicsDelete: Command = {
  name: 'topics delete',
  summary: 'deletes a topic with its records',
  operands: ['a topic'],
  options: { log: 'text', execute: 'flag', json: 'flag' },
  help: `Examples
  stoplog topics delete old-orders                      what would be deleted
  stoplog topics delete old-orders --execute            deletes it

Usage
  stoplog topics delete TOPIC [--execute] [--json] [--log lmdb:FOLDER]

  --execute             delete; without it, nothing is changed
  --json                print what is, or would be, deleted as an object
${LOG_HELP}

The records are deleted, and the position of every group in the topic. A group that reads the topic and has stores is deleted
whole, with all its positions and stores, because the stores would no longer belong to any records; so is a pipeline that
sends records through the topic. Both are named. Refused, also without --execute, while such a group has a member.
A process that still appends to the topic, or waits for its records, gets STOPLOG_TOPIC_UNKNOWN. The file does not shrink:
its pages are reused.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const execute = given.flag('execute');
    await using opened = await openForTools(argument);
    const shape = topicNamed(given.operands[0]!, opened.topics, argument, "'stoplog topics' lists them.");
    const groups = await opened.module.groups(opened.log);
    const readers = groups.filter((description) => topicsOf(description).has(shape.name) || description.owns.includes(shape.name));
    const along = readers.filter(({ stores, owns }) => stores.length > 0 || owns.includes(shape.name));
    for (const { group, members, epoch } of readers) if (members.length > 0) throw occupiedError(group, members, epoch, Date.now());
    const records = recordsIn(await partsOf(opened.log, shape));
    if (execute) await opened.module.deleteTopic(opened.log, shape.name);
    if (given.flag('json')) {
      const { name: topic, partitions } = shape;
      await output.write(
        jsonOut({
          topic,
          deleted: execute,
          partitions,
          records,
          groups: readers.map(({ group }) => group),
          deletedGroups: along.map((description) => ({ group: description.group, ...contentsOf(description) })),
        }),
      );
      return 0;
    }
    output.say(
      `topic '${shape.name}', ${grouped(records)} ${records === 1 ? 'record' : 'records'} in ${shape.partitions} ${shape.partitions === 1 ? 'partition' : 'partitions'}${readersText(readers, along)}: ${execute ? 'deleted' : 'would be deleted. Nothing was changed; add --execute to do it'}`,
    );
    return 0;
  },
};

const readersText = (readers: readonly GroupDescription[], along: readonly GroupDescription[]): string => {
  const others = readers.filter((reader) => !along.includes(reader)).map(({ group }) => group);
  return [
    ...(others.length === 0 ? [] : [`, and the positions of ${others.join(', ')}`]),
    ...along.map((description) => `, and with it group '${description.group}', ${contentsText(description)}`),
  ].join('');
};
