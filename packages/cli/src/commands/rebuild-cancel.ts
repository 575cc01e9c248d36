/** `stoplog rebuild cancel STORE` */
import { StoplogError } from '@stoplog/core';
import { occupiedError } from '@stoplog/core/tools';
import { oneLine } from '@stoplog/runtime/kit';
import { besideData, besideIn } from '../text/rebuild-text.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut } from './rows.ts';

export const rebuildCancel: Command = {
  name: 'rebuild cancel',
  summary: 'deletes a rebuild, or a version that is kept; what serves stays',
  operands: ['a store'],
  options: { log: 'text', to: 'text', execute: 'flag', json: 'flag' },
  help: `Examples
  stoplog rebuild cancel by-word                        what would be deleted
  stoplog rebuild cancel by-word --execute              deletes it
  stoplog rebuild cancel by-word --to 1 --execute       version 1, where several lie beside the one that serves

Usage
  stoplog rebuild cancel STORE [--to VERSION] [--execute] [--json] [--log lmdb:FOLDER]

  --to VERSION          the version of STORE to delete
  --execute             delete; without it, nothing is changed
  --json                print what is, or would be, deleted as an object
${LOG_HELP}

Refused while a process replays it: stop that process first.`,
  async run(given, output) {
    const [store] = given.operands as readonly [string];
    const version = given.number('to', 1);
    const argument = logArgument(given.text('log'), { create: false });
    await using opened = await openForTools(argument);
    const all = besideIn(await opened.module.groups(opened.log));
    const found = all.filter(({ stores }) => stores.some((one) => one.store === store && (version === undefined || one.version === version)));
    const [one, ...others] = found;
    if (one === undefined)
      throw new StoplogError(
        'STOPLOG_REBUILD',
        { store, version },
        `nothing lies beside store '${oneLine(store)}'${version === undefined ? '' : ` at version ${version}`} in ${argument.text}: 'stoplog rebuild status' lists what there is`,
      );
    if (others.length > 0)
      throw new StoplogError(
        'STOPLOG_USAGE',
        { store, rebuilds: found.map(({ tag }) => tag) },
        `${found.map(({ tag }) => tag).join(' and ')} lie beside store '${oneLine(store)}': choose one with --to VERSION`,
      );
    const { group, epoch, members } = one.description;
    if (members.length > 0) throw occupiedError(group, members, epoch, Date.now());
    const execute = given.flag('execute');
    if (execute) await opened.module.deleteGroup(opened.log, group);
    if (given.flag('json')) await output.write(jsonOut({ ...(besideData(one) as object), deleted: execute }));
    else output.say(`${one.tag} of pipeline '${one.pipeline}': ${execute ? 'deleted' : 'would be deleted. Nothing was changed; add --execute to do it'}`);
    return 0;
  },
};
