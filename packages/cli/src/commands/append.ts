/** `stoplog append TOPIC`: lines of standard input as records. */
import { type ExpectedEnd, isStoplogError, StoplogError } from '@stoplog/core';
import type { AnyTopic } from '@stoplog/core/kit';
import { topicFromShape } from '@stoplog/core/tools';
import { loadPlanWatching, oneLine } from '@stoplog/runtime/kit';
import { inputOf, recordByField, recordByJson, type RecordInput, takesNoKey } from '../text/record-input.ts';
import { suggestion } from '../text/suggest.ts';
import type { Arguments } from './arguments.ts';
import type { Command } from './command.ts';
import { exitCodeOf } from './interrupted.ts';
import { linesOf } from './lines.ts';
import { LOG_HELP, logArgument, type LogArgument, type OpenedLog, openForTools, topicNamed } from './log-argument.ts';
import { pipelineUrl } from './pipeline-argument.ts';
import { onStop } from './stopping.ts';

export const append: Command = {
  name: 'append',
  summary: 'appends lines of standard input to a topic',
  operands: ['a topic'],
  options: { log: 'text', key: 'text', 'key-field': 'text', json: 'flag', 'expected-end': 'text', pipeline: 'text' },
  help: `Examples
  echo 'a line of text' | stoplog append lines --key a
  stoplog append orders --key-field id < orders.ndjson          each line is a value; its field 'id' is the key
  stoplog append orders --json < records.ndjson                 each line is {"key": …, "value": …}
  stoplog append orders --key o1 --pipeline orders.pipeline.ts  makes the topic, as the pipeline declares it
  stoplog tail orders --until-end --json | stoplog append copy --json
  echo 'mine' | stoplog append claims --key job-7 --expected-end 41    only if no other append came first

Usage
  stoplog append TOPIC [--key K | --key-field NAME | --json] [--expected-end N] [--pipeline PIPELINE]
                       [--log lmdb:FOLDER]

  --key K               the key of every record
  --key-field NAME      lines are JSON objects, and the key is this field of theirs
  --json                lines are whole records: key, value, and optionally timestamp (ms or ISO), headers
                        ([{"name": …, "value": …}]); a null value deletes the key of a compacted topic
  --expected-end N      append only if the partition ends at offset N, all lines or none; if the topic has several partitions,
                        the end of each: 3,0,7,0
  --pipeline PIPELINE   parse by the schemas of the topic that this module declares, and make the topic if it is missing;
                        if left out, by the JSON schemas stored with the topic, which know no defaults and transforms
${LOG_HELP}

A line (or K) is taken as text if the schema accepts text, else as JSON. A record survives a power cut once the command has
counted it as appended. A refused line ends the command, which prints its number and how many lines before it were appended.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: given.text('pipeline') !== undefined });
    const modes = ['key', 'key-field', 'json'].filter((option) => given.flag(option) || given.text(option) !== undefined);
    if (modes.length > 1) throw new StoplogError('STOPLOG_USAGE', {}, `--${modes.join(' and --')} exclude each other: a record has one key`);
    const declared = await declaredTopic(given);
    await using opened = await openForTools(argument);
    const topic = declared ?? storedTopic(given.operands[0]!, opened, argument);
    const read = reader(given, topic);
    const expectedEnd = expectedEndIn(given.text('expected-end'), topic);
    let interrupted: number | undefined;
    const stopListening = onStop((signal) => {
      interrupted = exitCodeOf(signal);
      process.stdin.destroy();
    });
    if (process.stdin.isTTY) output.say(`each line goes to '${topic.name}'; Ctrl-D ends`);
    try {
      const records = await appendLines(opened, topic, process.stdin, read, expectedEnd).catch((error: unknown) => {
        throw declared === undefined ? byStoredSchema(error) : error;
      });
      output.say(`${records} ${records === 1 ? 'record' : 'records'} appended to ${topic.name}${interrupted === undefined ? '' : ', and interrupted there'}`);
    } finally {
      stopListening();
    }
    return interrupted ?? 0;
  },
};

const expectedEndIn = (text: string | undefined, { name, partitions }: AnyTopic): ExpectedEnd | undefined => {
  if (text === undefined) return undefined;
  if (!/^\d{1,20}(,\d{1,20})*$/.test(text)) {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { 'expected-end': text },
      `--expected-end '${oneLine(text)}' is no offset: give a whole number such as 41, or one for each partition such as 3,0,7,0`,
    );
  }
  const ends = text.split(',').map(BigInt);
  if (ends.some((end) => end >= 2n ** 64n) || (ends.length !== 1 && ends.length !== partitions)) {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic: name, 'expected-end': text, partitions },
      `--expected-end '${text}' is not where topic '${name}' can end: give one offset, or one for each of its partitions, which are ${partitions}. 'stoplog topics describe ${name}' shows them`,
    );
  }
  return ends.length === 1 ? ends[0]! : ends;
};

const declaredTopic = async (given: Arguments): Promise<AnyTopic | undefined> => {
  const path = given.text('pipeline');
  if (path === undefined) return undefined;
  const name = given.operands[0]!;
  const { topics, name: pipeline } = await loadPlanWatching(pipelineUrl(path).href);
  const found = topics.find((topic) => topic.name === name);
  if (found !== undefined) return found;
  const names = topics.map((topic) => topic.name);
  throw new StoplogError(
    'STOPLOG_TOPIC_UNKNOWN',
    { topic: name, topics: names },
    `pipeline '${pipeline}' has no topic '${name}', only ${names.join(', ')}.${suggestion(name, names)}`,
  );
};

const storedTopic = (name: string, { topics }: OpenedLog, argument: LogArgument): AnyTopic => {
  const shape = topicNamed(
    name,
    topics,
    argument,
    `To make it, name the module that declares it (--pipeline x.pipeline.ts), or 'stoplog topics create ${name}'`,
  );
  try {
    return topicFromShape(shape, 'append');
  } catch (error) {
    if (!isStoplogError(error)) throw error;
    throw new StoplogError(error.code, error.facts, `${error.message}; here: --pipeline x.pipeline.ts`, { cause: error });
  }
};

/** The stored JSON schema describes values that were parsed: a line that the declaration would complete is refused by it. */
const byStoredSchema = (error: unknown): unknown => {
  if (!isStoplogError(error) || error.code !== 'STOPLOG_SCHEMA' || error.facts['issues'] === undefined) return error;
  const remedy = 'The schema stored with the topic was used, which knows no defaults and transforms: --pipeline x.pipeline.ts parses by the declaration';
  return new StoplogError(error.code, error.facts, `${error.message}\n${remedy}`, { cause: error.cause });
};

type Reader = (line: Uint8Array) => RecordInput | undefined;

const reader = (given: Arguments, topic: AnyTopic): Reader => {
  const field = given.text('key-field');
  if (given.flag('json')) return (line) => (isBlank(line) ? undefined : recordByJson(topic, textOf(line)));
  if (field !== undefined) return (line) => (isBlank(line) ? undefined : recordByField(topic, textOf(line), field));
  const text = given.text('key');
  if (text === undefined && !takesNoKey(topic)) {
    throw new StoplogError(
      'STOPLOG_USAGE',
      { topic: topic.name },
      `topic '${topic.name}' needs keys: give --key K, or --key-field NAME, or whole records with --json`,
    );
  }
  const key = text === undefined ? null : inputOf(topic.keySerde, text);
  return (line) => ({ key, value: topic.valueSerde.codec === 'bytes' ? line : inputOf(topic.valueSerde, textOf(line)) });
};

const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });
const textOf = (line: Uint8Array): string => {
  try {
    return utf8.decode(line);
  } catch {
    throw new StoplogError('STOPLOG_SCHEMA', {}, 'it is not UTF-8: convert it, or declare the bytes codec');
  }
};
const isBlank = (line: Uint8Array): boolean => line.every((byte) => byte === 0x20 || byte === 0x09);

/** Errors caused by a line; others come from the log. */
const OF_A_LINE: ReadonlySet<string> = new Set(['STOPLOG_SCHEMA', 'STOPLOG_KEY_TOO_LONG', 'STOPLOG_RECORD_TOO_LARGE', 'STOPLOG_USAGE']);

const appendLines = async (
  { client }: OpenedLog,
  topic: AnyTopic,
  input: AsyncIterable<Uint8Array>,
  read: Reader,
  expectedEnd: ExpectedEnd | undefined,
): Promise<number> => {
  const cut = new Error('the lines were cut off');
  let line = 0;
  let failure: unknown;
  /** Ends at a line that cannot be read, so that the lines before it are acknowledged first; with an expected end, all or none. */
  const records = async function* (): AsyncGenerator<RecordInput> {
    try {
      for await (const bytes of linesOf(input)) {
        line++;
        const record = read(bytes);
        if (record !== undefined) yield record;
      }
    } catch (error) {
      if (!isStoplogError(error) && (error as NodeJS.ErrnoException).code !== 'ERR_STREAM_PREMATURE_CLOSE') throw error;
      if (isStoplogError(error)) failure = error;
      if (expectedEnd !== undefined) throw isStoplogError(error) ? error : cut;
    }
  };
  let appended = 0;
  try {
    ({ records: appended } = await client.append(topic, records(), expectedEnd === undefined ? {} : { expectedEnd }));
  } catch (error) {
    if (error === cut) return 0;
    if (!isStoplogError(error)) throw error;
    const { appended: before } = error.facts;
    if (typeof before === 'number') appended = before;
    failure = error;
  }
  if (!isStoplogError(failure)) return appended;
  const where = line > 0 && OF_A_LINE.has(failure.code) ? `line ${line}: ` : '';
  const facts = { ...failure.facts, ...(where === '' ? {} : { line }), appended };
  const before = `${appended} ${appended === 1 ? 'record' : 'records'} before it ${appended === 1 ? 'was' : 'were'} appended to ${topic.name}, and acknowledged`;
  const kept = expectedEnd === undefined ? before : `nothing was appended to ${topic.name}`;
  throw new StoplogError(failure.code, facts, `${where}${failure.message}\n${kept}`, { cause: failure });
};
