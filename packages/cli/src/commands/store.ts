/** `stoplog store`, `stoplog store get STORE KEY`, `stoplog store range STORE` */
import { StoplogError } from '@stoplog/core';
import { oneLine } from '@stoplog/runtime/kit';
import { jsonText } from '../text/json-text.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut, rowsText } from './rows.ts';
import { decoded, entriesIn, keyIn, openStored, storesIn, valueIn } from './stored.ts';

const get: Command = {
  name: 'store get',
  summary: 'prints the value of a key',
  operands: ['a store', 'a key'],
  options: { log: 'text', json: 'flag' },
  help: `Examples
  stoplog store get by-word to
  stoplog store get totals '{"shop":1}' --json | jq .value

Usage
  stoplog store get STORE KEY [--json] [--log lmdb:FOLDER]

  KEY                   JSON where it is JSON, else a text: 7 is a number, '"7"' is a text
  --json                print key and value as an object
${LOG_HELP}

The value is that of the last commit; the pipeline may run or not. The exit code is 1 when the store has no such key.`,
  async run(given, output) {
    const [name, text] = given.operands as readonly [string, string];
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const stored = await openStored(name, opened, argument);
    const key = keyIn(text);
    const bytes = valueIn(stored, key);
    if (bytes === undefined) {
      output.say(`store '${oneLine(name)}' has no key ${jsonText(key)}${typeof key === 'string' ? '' : `; the text is '${JSON.stringify(text)}'`}`);
      return 1;
    }
    await output.write(given.flag('json') ? `${jsonText({ key, value: decoded(bytes) })}\n` : `${jsonText(decoded(bytes))}\n`);
    return 0;
  },
};

const range: Command = {
  name: 'store range',
  summary: 'prints entries in the order of their keys',
  operands: ['a store'],
  options: { log: 'text', gte: 'text', lt: 'text', prefix: 'text', limit: 'text', json: 'flag' },
  help: `Examples
  stoplog store range by-word --limit 10
  stoplog store range by-word --prefix to
  stoplog store range totals --gte 100 --lt 200 --json

Usage
  stoplog store range STORE [--gte KEY] [--lt KEY | --prefix TEXT] [--limit N] [--json] [--log lmdb:FOLDER]

  --gte KEY, --lt KEY   from a key on, and before a key: JSON where it is JSON, else a text
  --prefix TEXT         keys that are texts and begin with this one
  --limit N             end after N entries
  --json                one object per line, with key and value
${LOG_HELP}

Changes made meanwhile may be among the entries, or not.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const [gte, lt, prefix] = [given.text('gte'), given.text('lt'), given.text('prefix')];
    if (prefix !== undefined && (gte !== undefined || lt !== undefined))
      throw new StoplogError('STOPLOG_USAGE', {}, '--prefix and --gte or --lt exclude each other: choose one');
    const limit = given.number('limit', 1) ?? Infinity;
    await using opened = await openForTools(argument);
    const stored = await openStored(given.operands[0]!, opened, argument);
    let shown = 0;
    for (const [key, bytes] of entriesIn(stored, {
      ...(gte === undefined ? {} : { gte: keyIn(gte) }),
      ...(lt === undefined ? {} : { lt: keyIn(lt) }),
      ...(prefix === undefined ? {} : { prefix }),
    })) {
      if (shown++ >= limit || output.gone.aborted) break;
      const value = decoded(bytes);
      await output.write(given.flag('json') ? `${jsonText({ key, value })}\n` : `${jsonText(key)}  ${jsonText(value)}\n`);
    }
    return 0;
  },
};

export const store: Command = {
  name: 'store',
  summary: 'lists the stores, and reads their entries',
  operands: [],
  options: { log: 'text', json: 'flag' },
  actions: [get, range],
  help: `Examples
  stoplog store                                         every store, its version and its pipeline
  stoplog store get by-word to                          the value of a key
  stoplog store range by-word --prefix to               entries, in the order of their keys

Usage
  stoplog store [list] [--json] [--log lmdb:FOLDER]

${LOG_HELP}
  --json                an array

What a rebuild has replaced, or builds, lies under a name with a #: 'stoplog rebuild status' lists it.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const all = storesIn(await opened.module.groups(opened.log), false);
    if (given.flag('json')) await output.write(jsonOut(all.map(({ store: name, version, group }) => ({ store: name, version, pipeline: group.group }))));
    else if (all.length === 0) output.say(`${argument.text} holds no stores yet: the first run of a pipeline makes its own`);
    else
      await output.write(
        rowsText([['STORE', 'VERSION', 'PIPELINE'], ...all.map(({ store: name, version, group }) => [name, String(version), group.group])], [1]),
      );
    return 0;
  },
};
