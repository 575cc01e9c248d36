/** `stoplog backup` */
import { StoplogError } from '@stoplog/core';
import { grouped, secondsText } from '@stoplog/runtime/kit';
import { withProgress } from './byte-progress.ts';
import type { Command } from './command.ts';
import { LOG_HELP, logArgument, openForTools } from './log-argument.ts';
import { jsonOut } from './rows.ts';

export const backup: Command = {
  name: 'backup',
  summary: 'copies a whole log, as of one commit, while it is in use',
  operands: [],
  options: { log: 'text', to: 'text', json: 'flag' },
  help: `Examples
  stoplog backup --to ./backup-$(date +%F)              the log in ./data
  stoplog backup --log lmdb:/var/lib/orders --to /mnt/backups/orders-1 --json
  stoplog restore ./backup-2026-11-30 --log lmdb:./data

Usage
  stoplog backup --to FOLDER [--log lmdb:FOLDER] [--json]

  --to FOLDER           a new folder, or an empty one: nothing is overwritten
${LOG_HELP}
  --json                print what was made as an object

Other processes read and append meanwhile: the copy holds every commit made before it began, and none made later.
Every checksum is compared, so a damaged log is refused; then the copy is read again. The folder appears under its name
when all of it is on the disk. While the copy is made, the log cannot reuse freed space, and grows by about the bytes that
are appended and overwritten. Ctrl-C ends the backup and leaves nothing.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const to = given.text('to');
    if (to === undefined) throw new StoplogError('STOPLOG_USAGE', {}, 'a backup needs a place: give --to FOLDER, a folder that does not exist yet');
    await using opened = await openForTools(argument);
    const began = performance.now();
    const outcome = await withProgress(`${argument.text} → ${to}`, (watch) => opened.module.backup(opened.log, to, watch));
    if (outcome.made === undefined) {
      output.say('interrupted: nothing was left behind');
      return outcome.interrupted;
    }
    const { made } = outcome;
    if (given.flag('json')) await output.write(jsonOut(made));
    const entries = Object.values(made.entries).reduce((sum, count) => sum + count, 0);
    output.say(
      `${argument.text} backed up to ${to} as of ${made.taken}: ${grouped(made.bytes)} bytes, ${grouped(entries)} entries, verified, in ${secondsText((performance.now() - began) / 1000)}`,
    );
    return 0;
  },
};
