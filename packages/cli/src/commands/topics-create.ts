/** `stoplog topics create NAME` */
import { type CodecName, StoplogError } from '@stoplog/core';
import type { TopicShape } from '@stoplog/core/port';
import { checkName } from '@stoplog/core/kit';
import { OF_EVERY_TOPIC, topicFromShape } from '@stoplog/core/tools';
import { loadPlanWatching, oneLine } from '@stoplog/runtime/kit';
import { suggestion } from '../text/suggest.ts';
import { SETTING_OPTIONS, settingsIn } from '../text/topic-settings.ts';
import type { Arguments } from './arguments.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { pipelineUrl } from './pipeline-argument.ts';
import { jsonOut } from './rows.ts';
import { settingHelp, SETTINGS_HELP } from './settings-help.ts';
import { timestampsIn } from './timestamps-argument.ts';
import { shapeData } from './topic-parts.ts';

export const topicsCreate: Command = {
  name: 'topics create',
  summary: 'makes a topic',
  operands: ['a topic'],
  options: {
    log: 'text',
    partitions: 'text',
    compacted: 'flag',
    ...SETTING_OPTIONS,
    timestamps: 'text',
    'key-codec': 'text',
    'value-codec': 'text',
    pipeline: 'text',
    json: 'flag',
  },
  help: `Examples
  stoplog topics create orders --pipeline orders.pipeline.ts     as the pipeline declares it, with its schemas
  stoplog topics create lines --key-codec string --value-codec string --partitions 8
  stoplog topics create prices --cleanup compact
  stoplog topics create clicks --retention 7d --retention-bytes 10GB
  stoplog topics create sessions --cleanup both --retention 1d --segment 1h

Usage
  stoplog topics create TOPIC [--partitions N] [--cleanup P] [SETTING …] [--timestamps C] [--key-codec C]
                              [--value-codec C] [--json] [--log lmdb:FOLDER]
  stoplog topics create TOPIC --pipeline PIPELINE [--json] [--log lmdb:FOLDER]

${settingHelp(OF_EVERY_TOPIC.partitions)}
${SETTINGS_HELP}
  --compacted           the same as --cleanup compact
${settingHelp(OF_EVERY_TOPIC.timestamps)}
  --key-codec C         json (when left out), string, bytes or msgpack; the same for --value-codec
  --pipeline PIPELINE   take all settings from the module that declares the topic
  --json                print the new topic as an object
${LOG_HELP}

A run of a pipeline makes its topics, so this command is for topics to which another program appends first. Without --pipeline
the topic has no schemas, and accepts any value. The log is made if missing.`,
  async run(given, output) {
    const name = given.operands[0]!;
    checkName('topic', name);
    const shape = (await declaredShape(given, name)) ?? shapeIn(given, name);
    const argument = logArgument(given.text('log'), { create: true });
    topicFromShape(shape, 'read'); // throws the errors of such a declaration
    await using opened = await openForTools(argument);
    if (opened.topics.some((there) => there.name === name)) {
      throw new StoplogError(
        'STOPLOG_TOPIC_SHAPE',
        { topic: name },
        `topic '${name}' is there already: see 'stoplog topics describe ${name}', or choose another name`,
      );
    }
    await opened.log.ensure([shape]);
    if (given.flag('json')) {
      await output.write(jsonOut(shapeData(shape)));
      return 0;
    }
    output.say(
      `topic '${name}' made: ${shape.partitions} ${shape.partitions === 1 ? 'partition' : 'partitions'}, ${shape.cleanup === 'compact' ? 'compacted' : 'not compacted'}`,
    );
    return 0;
  },
};

const OF_SHAPE = ['partitions', 'compacted', ...Object.keys(SETTING_OPTIONS), 'timestamps', 'key-codec', 'value-codec'];

const declaredShape = async (given: Arguments, name: string): Promise<TopicShape | undefined> => {
  const path = given.text('pipeline');
  if (path === undefined) return undefined;
  const also = OF_SHAPE.find((option) => given.flag(option) || given.text(option) !== undefined);
  if (also !== undefined)
    throw new StoplogError('STOPLOG_USAGE', { option: also }, `--pipeline and --${also} exclude each other: the pipeline says what the topic is`);
  const { topics, name: pipeline } = await loadPlanWatching(pipelineUrl(path).href);
  const found = topics.find((topic) => topic.name === name);
  if (found !== undefined) return found.shape;
  const names = topics.map((topic) => topic.name);
  throw new StoplogError(
    'STOPLOG_TOPIC_UNKNOWN',
    { topic: name, topics: names },
    `pipeline '${pipeline}' has no topic '${name}', only ${names.join(', ')}.${suggestion(name, names)}`,
  );
};

const CODECS: readonly string[] = ['json', 'string', 'bytes', 'msgpack'] satisfies readonly CodecName[];

const shapeIn = (given: Arguments, name: string): TopicShape => {
  const text = (option: string): string | undefined => given.text(option);
  if (given.flag('compacted') && text('cleanup') !== undefined)
    throw new StoplogError('STOPLOG_USAGE', {}, '--compacted and --cleanup say the same: give one of them');
  return {
    name,
    partitions: given.number('partitions', 1) ?? OF_EVERY_TOPIC.partitions.default,
    ...settingsIn(name, text, { cleanup: given.flag('compacted') ? 'compact' : 'delete', retentionMs: undefined }),
    ...(timestampsIn(given) === 'arrival' ? { timestamps: 'arrival' } : {}),
    keyCodec: codecIn(given, 'key-codec'),
    valueCodec: codecIn(given, 'value-codec'),
    keySchema: {},
    valueSchema: {},
  };
};
const codecIn = (given: Arguments, option: string): CodecName => {
  const text = given.text(option) ?? 'json';
  if (CODECS.includes(text)) return text as CodecName;
  throw new StoplogError('STOPLOG_USAGE', { [option]: text }, `--${option} '${oneLine(text)}' is no codec: give one of ${CODECS.join(', ')}`);
};
