/** `stoplog check` */
import { isStoplogError } from '@stoplog/core';
import { isDamage, loadTools } from '@stoplog/core/tools';
import { sentence } from '@stoplog/runtime/kit';
import { checkData, checkSummary, findingLines } from '../text/inspection-text.ts';
import type { Command } from './command.ts';
import { watchInspection } from './inspection-progress.ts';
import { exitCodeOf } from './interrupted.ts';
import { LOG_HELP, logArgument } from './log-argument.ts';
import { jsonOut } from './rows.ts';
import { StatusRow } from './status-row.ts';
import { onStop } from './stopping.ts';

export const check: Command = {
  name: 'check',
  summary: 'reads a whole log and reports every broken invariant',
  operands: [],
  options: { log: 'text', json: 'flag' },
  help: `Examples
  stoplog check                                         the log in ./data
  stoplog check --log lmdb:/var/lib/orders && cp -r …   copies only if nothing is wrong
  stoplog check --json | jq '.findings[] | select(.topic == "orders")'

Usage
  stoplog check [--log lmdb:FOLDER] [--json]

${LOG_HELP}
  --json                the report as an object

Reads every page, checksum, offset, sum and reference, and changes nothing: the check takes no lock, works beside running
processes, on a read-only disk, and on a file of which no part is sound. Each finding has a line with the rule, the location
and the damage; the rule 'unknown' means an entry of a later version, not damage. 'stoplog repair' makes a new folder of all
entries that can be proved. Exit codes here: 0 nothing is wrong; 1 there are findings; 2 no file could be read, or the file is
not a log of Stoplog; 130 Ctrl-C, 143 SIGTERM.`,
  async run(given, output) {
    const argument = logArgument(given.text('log'), { create: false });
    const module = await loadTools(argument.ref);
    const row = await StatusRow.on(process.stderr);
    const stop = new AbortController();
    let interrupted: number | undefined;
    const stopListening = onStop((signal) => {
      interrupted = exitCodeOf(signal);
      stop.abort();
    });
    try {
      const report = await module.check(argument.ref.options, { progress: watchInspection(`checking ${argument.text}`, row), signal: stop.signal });
      row.end();
      await output.write(given.flag('json') ? jsonOut(checkData(report)) : findingLines(report.findings));
      for (const note of report.notes) output.say(note);
      output.say(`${argument.text}   ${checkSummary(report)}`);
      if (!report.isWhole) return interrupted ?? 1;
      return report.findings.some(isDamage) || report.omitted > 0 ? 1 : 0;
    } catch (error) {
      row.end();
      if (!isStoplogError(error)) throw error;
      output.say(sentence(error));
      return 2;
    } finally {
      stopListening();
    }
  },
};
