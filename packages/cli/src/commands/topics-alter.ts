/** `stoplog topics alter NAME` */
import { StoplogError } from '@stoplog/core';
import type { TopicShape } from '@stoplog/core/port';
import { OF_EVERY_TOPIC } from '@stoplog/core/tools';
import { changesText, cleanupWord, SETTING_OPTIONS, settingsIn } from '../text/topic-settings.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools, topicNamed } from './log-argument.ts';
import { jsonOut } from './rows.ts';
import { settingHelp, SETTINGS_HELP } from './settings-help.ts';
import { timestampsIn } from './timestamps-argument.ts';
import { shapeData } from './topic-parts.ts';

export const topicsAlter: Command = {
  name: 'topics alter',
  summary: 'changes the retention, compaction and timestamps of a topic',
  operands: ['a topic'],
  options: {
    log: 'text',
    ...SETTING_OPTIONS,
    timestamps: 'text',
    partitions: 'text',
    compacted: 'flag',
    'key-codec': 'text',
    'value-codec': 'text',
    json: 'flag',
  },
  help: `Examples
  stoplog topics alter clicks --retention 30d
  stoplog topics alter clicks --retention forever --segment default
  stoplog topics alter clicks --timestamps arrival
  stoplog topics alter prices --cleanup both --retention 90d
  stoplog topics copy clicks clicks-16 --partitions 16  the way to more partitions

Usage
  stoplog topics alter TOPIC SETTING … [--json] [--log lmdb:FOLDER]

${SETTINGS_HELP}

${settingHelp(OF_EVERY_TOPIC.timestamps)}; stored records keep theirs

  A setting that is left out stays; 'default' restores the default. The log applies a change within a second.
  --json                print the topic as an object, and whether it changed
${LOG_HELP}

A pipeline that declares other settings restores them when it is run: change its declaration too. Partitions and codecs of a
topic cannot change, nor can a topic become compacted or stop being compacted. 'stoplog topics copy' makes a topic with another
number of partitions; for other codecs, or to compact, create a topic and append the records to it ('tail --until-end --json'
into 'append --json'). A compacted topic may change between compact and both.`,
  async run(given, output) {
    const name = given.operands[0]!;
    const text = (option: string): string | undefined => given.text(option);
    for (const [option, why] of FIXED) if (given.flag(option) || text(option) !== undefined) throw fixed(name, option, why, text(option));
    const timestamps = timestampsIn(given);
    if (timestamps === undefined && Object.keys(SETTING_OPTIONS).every((option) => text(option) === undefined))
      throw new StoplogError(
        'STOPLOG_USAGE',
        { topic: name },
        `say what is to change, such as --retention 30d or --segment-bytes 16MiB. 'stoplog topics describe ${name}' shows what it is`,
      );
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const shape = topicNamed(name, opened.topics, argument, "'stoplog topics' lists them.");
    const { forgetting: _, timestamps: stamped = 'given', ...others } = shape;
    const whose = timestamps ?? stamped;
    const altered: TopicShape = { ...others, ...settingsIn(name, text, shape), ...(whose === 'arrival' ? { timestamps: whose } : {}) };
    if (altered.cleanup !== shape.cleanup) throw fixed(name, 'cleanup', `it is '${cleanupWord(shape)}', and ${OTHER_KIND}`, text('cleanup'));
    await opened.log.ensure([altered]);
    const changes = [changesText(shape, altered), ...(whose === stamped ? [] : [`timestamps ${stamped} → ${whose}`])].filter((text) => text !== '').join(', ');
    if (given.flag('json')) {
      await output.write(jsonOut({ ...shapeData(altered), changed: changes !== '' }));
      return 0;
    }
    output.say(changes === '' ? `topic '${name}' is so already: nothing changed` : `topic '${name}' altered: ${changes}`);
    return 0;
  },
};

const OTHER_KIND = 'its records were appended for that kind of topic';
const FIXED = [
  ['partitions', 'their number decides the partition of a key, so the next record of a key could go to another one, and its order would be lost'],
  ['compacted', OTHER_KIND],
  ['key-codec', 'stored records are encoded with the old codec'],
  ['value-codec', 'stored records are encoded with the old codec'],
] as const;

const fixed = (topic: string, option: string, why: string, value: string | undefined): StoplogError =>
  new StoplogError(
    'STOPLOG_TOPIC_SHAPE',
    { topic, option, value },
    `the ${option} of topic '${topic}' cannot be changed: ${why}. ` +
      (option === 'partitions'
        ? `Copy it, in the order of each key, into a topic that has them: stoplog topics copy ${topic} ${topic}-${value ?? 'N'} --partitions ${value ?? 'N'}`
        : `Make another one with 'stoplog topics create', and append its records to that: stoplog tail ${topic} --until-end --json | stoplog append OTHER --json`),
  );
