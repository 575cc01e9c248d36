/** `stoplog restore FOLDER` */
import { loadTools } from '@stoplog/core/tools';
import { grouped, secondsText } from '@stoplog/runtime/kit';
import { withProgress } from './byte-progress.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument } from './log-argument.ts';
import { jsonOut } from './rows.ts';

export const restore: Command = {
  name: 'restore',
  summary: 'makes a log from a backup',
  operands: ['the folder of a backup'],
  options: { log: 'text', json: 'flag' },
  help: `Examples
  stoplog restore ./backup-2026-11-30                   into ./data, which must not exist yet, or be empty
  mv data data.old && stoplog restore ./backup-2026-11-30
  stoplog restore ./backup-2026-11-30 --log lmdb:./try && stoplog topics --log lmdb:./try

Usage
  stoplog restore BACKUP [--log lmdb:FOLDER] [--json]

  BACKUP                a folder that 'stoplog backup' made; it is not changed
${LOG_HELP}
  --json                print what was restored as an object

The copy is compared with the checksum of the backup before it is moved into place as a whole. It is an independent log: its
groups have no members, even while the original log is in use.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: true });
    const from = given.operands[0]!;
    const module = await loadTools(argument.ref);
    const began = performance.now();
    const outcome = await withProgress(`${from} → ${argument.text}`, (watch) => module.restore(from, argument.ref.options, watch));
    if (outcome.made === undefined) {
      output.say('interrupted: nothing was left behind');
      return outcome.interrupted;
    }
    const { made } = outcome;
    if (given.flag('json')) await output.write(jsonOut(made));
    output.say(
      `${from} restored to ${argument.text}, as of ${made.taken}: ${grouped(made.bytes)} bytes, verified, in ${secondsText((performance.now() - began) / 1000)}`,
    );
    return 0;
  },
};
