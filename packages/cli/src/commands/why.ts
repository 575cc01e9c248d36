/** `stoplog why STORE KEY --pipeline FILE` */
import { StoplogError } from '@stoplog/core';
import { type AnyTopic, parseKey, shapeDifference } from '@stoplog/core/kit';
import { ancestryOf, type Ancestry, grouped, loadPlanWatching, oneLine, readHistory, secondsText } from '@stoplog/runtime/kit';
import { historyNotes } from '../text/history-text.ts';
import { inputOf } from '../text/record-input.ts';
import { recordJson, recordLine } from '../text/record-text.ts';
import type { Command } from './command.ts';
import { exitCodeOf } from './interrupted.ts';
import { LOG_HELP, type LogArgument, logArgument, type OpenedLog, openForTools, topicNamed } from './log-argument.ts';
import { pipelineUrl } from './pipeline-argument.ts';
import { StatusRow } from './status-row.ts';
import { onStop } from './stopping.ts';

export const why: Command = {
  name: 'why',
  summary: 'shows the records behind the value of a key in a store',
  operands: ['a store', 'a key'],
  options: { log: 'text', pipeline: 'text', limit: 'text', json: 'flag' },
  help: `Examples
  stoplog why by-word to --pipeline words.pipeline.ts               every record that was counted for 'to'
  stoplog why by-word to --pipeline words.pipeline.ts --limit 10    the last ten
  stoplog why table:customers c1 --pipeline orders.pipeline.ts      the changes of a key of a table
  stoplog why totals '{"shop":1}' --pipeline orders.pipeline.ts --json

Usage
  stoplog why STORE KEY --pipeline FILE [--limit N] [--json] [--log lmdb:FOLDER]

  STORE                 a store of the pipeline, or table:TOPIC
  KEY                   a key as text, or as JSON where the keys of the store are no texts
  --pipeline FILE       the module that exports the pipeline: it says which topics feed the store
  --limit N             only the last N records
  --json                one JSON object per line, as 'stoplog tail --json' prints it
${LOG_HELP}

The records are those with the key in the topics that feed the store, up to where the pipeline is. Behind a rekey that is
the topic of its 'through'; a table that is joined on the way counts too. A record that a filter drops on the way is shown.
Only the partition of the key is read. Records that retention or compaction has removed are missing, and that is said.`,
  async run(given, output) {
    const [store, text] = given.operands as readonly [string, string];
    const file = given.text('pipeline');
    if (file === undefined)
      throw new StoplogError(
        'STOPLOG_USAGE',
        {},
        `--pipeline is missing: name the module of the pipeline that keeps '${oneLine(store)}', as in --pipeline orders.pipeline.ts`,
      );
    const argument = logArgument(given.text('log'), { create: false });
    const limit = given.number('limit', 1);
    const plan = await loadPlanWatching(pipelineUrl(file).href);
    const ancestry = ancestryOf(plan, store);
    const key = keyOf(ancestry, text);
    const row = await StatusRow.on(process.stderr);
    const stop = new AbortController();
    let signal: NodeJS.Signals | undefined;
    const offStop = onStop((received) => {
      signal = received;
      stop.abort();
    });
    output.gone.addEventListener('abort', () => stop.abort(), { once: true });
    try {
      await using opened = await openForTools(argument);
      for (const { topic } of ancestry.inputs) checkTopic(topic, opened, argument);
      const history = await readHistory(opened.log, plan, store, key, {
        signal: stop.signal,
        progress: progressOf(row),
        ...(limit === undefined ? {} : { limit }),
      });
      let shown = 0;
      for await (const record of history.records) {
        if (stop.signal.aborted) break;
        await output.write(`${given.flag('json') ? recordJson(record) : recordLine(record, record.topic)}\n`);
        shown++;
      }
      if (signal === undefined) for (const line of historyNotes(store, text, shown, history.inputs)) row.say(line);
    } finally {
      offStop();
      row.end();
    }
    if (signal === undefined) return 0;
    output.say('interrupted: not all was shown');
    return exitCodeOf(signal);
  },
};

/** The key by the schema of the topic that holds it. */
const keyOf = ({ inputs }: Ancestry, text: string): unknown => {
  const topic = inputs[0]!.topic;
  return parseKey(topic, inputOf(topic.keySerde, text));
};

/** The topic is there, in the shape that the pipeline declares: the partition of a key depends on it. */
const checkTopic = ({ name, shape }: AnyTopic, { topics }: OpenedLog, argument: LogArgument): void => {
  const found = topicNamed(name, topics, argument, 'A pipeline makes its topics when it is first run; name its log with --log.');
  const difference = shapeDifference(shape, found);
  if (difference !== undefined) throw new StoplogError('STOPLOG_TOPIC_SHAPE', { topic: name, declared: shape, found }, difference);
};

const QUIET_MS = 1_000;
const DRAW_EVERY_MS = 100;
const PLAIN_EVERY_MS = 5_000;

/** Nothing in the first second. */
const progressOf = (row: StatusRow): ((done: number, total: number) => void) => {
  const every = row.live ? DRAW_EVERY_MS : PLAIN_EVERY_MS;
  const began = performance.now();
  let drawn = began + QUIET_MS - every;
  return (done, total) => {
    const now = performance.now();
    if (now - drawn < every) return;
    drawn = now;
    const left = (((now - began) / 1_000) * (total - done)) / done;
    row.show(`${Math.floor((100 * done) / total)} %   ${grouped(done)} of ${grouped(total)} records read   ${secondsText(left)} left`);
  };
};
