/**
 * The command line: finds the command, runs it, prints errors and returns the exit code.
 */
import { readFileSync } from 'node:fs';
import { isStoplogError, StoplogError } from '@stoplog/core';
import { oneLine, orLackOfFiles, printable, sentence } from '@stoplog/runtime/kit';
import { columns } from '../text/columns.ts';
import { suggestion } from '../text/suggest.ts';
import { append } from './append.ts';
import { readArguments } from './arguments.ts';
import { backup } from './backup.ts';
import { check } from './check.ts';
import type { Command } from './command.ts';
import { compact } from './compact.ts';
import { describe } from './describe.ts';
import { groups } from './groups.ts';
import { type Output, processOutput } from './output.ts';
import { rebuild } from './rebuild.ts';
import { repair } from './repair.ts';
import { restore } from './restore.ts';
import { run } from './run.ts';
import { store } from './store.ts';
import { tail } from './tail.ts';
import { topics } from './topics.ts';
import { why } from './why.ts';

const commands: readonly Command[] = [run, describe, topics, groups, rebuild, store, why, tail, append, compact, check, repair, backup, restore];

const EXIT_CODES = `Exit codes: 0 the command succeeded; 1 it failed, or a partition failed; 2 the command line is wrong;
130 and 143 a signal interrupted it. Errors go to standard error as 'CODE  sentence', with the remedy at the end;
STOPLOG_DEBUG=1 adds the stack.`;

const overview = (): string => `Examples
  stoplog run orders.pipeline.ts                        run a pipeline on the log in ./data
  stoplog describe orders.pipeline.ts                   see its tasks, topics and stores
  echo 'hello' | stoplog append lines --key a           append a record to a topic
  stoplog tail lines --from earliest                    read the topic, and wait for more records
  stoplog topics                                        list the topics
  stoplog groups                                        list the consumer groups and their lag
  stoplog store get by-word to                          read a store
  stoplog rebuild by-word --pipeline words.pipeline.ts  build a store anew, beside the one that serves
  stoplog why by-word to --pipeline words.pipeline.ts   see the records behind the value of a key
  stoplog compact                                       apply retention and compaction now
  stoplog backup --to ./backup                          copy the log while it is in use
  stoplog check                                         check the whole log for damage

Commands
${columns(commands.map(({ name, summary }) => [`  ${name}`, summary]))
  .map((line) => `${line}\n`)
  .join('')}
'stoplog COMMAND --help' shows examples and options of a command. --version prints the version.
The log is --log lmdb:./data unless you say otherwise; several processes may use it at once.

${EXIT_CODES}
`;

export const main = async (argv: readonly string[]): Promise<number> => {
  const output = processOutput();
  try {
    const code = await dispatch(argv, output);
    await output.flushed();
    return code;
  } catch (error) {
    output.say(reported(orLackOfFiles(error)));
    // A second write error has the same cause, or follows from the first.
    await output.flushed().catch(() => {});
    return isUsage(error) ? 2 : 1;
  }
};

const dispatch = async (argv: readonly string[], output: Output): Promise<number> => {
  const [first, ...rest] = argv;
  if (first === undefined) {
    await output.write(overview());
    return 2;
  }
  if (first === '--version' || first === '-V') {
    await output.write(`${version()}\n`);
    return 0;
  }
  if (first === '--help' || first === '-h' || (first === 'help' && rest.length === 0)) {
    await output.write(overview());
    return 0;
  }
  const [name = '', ...others] = first === 'help' ? rest : argv;
  const command = commands.find((one) => one.name === name);
  if (command === undefined) {
    const what = name.startsWith('-') ? `there is no option ${oneLine(name)} before a command` : `there is no command '${oneLine(name)}'`;
    throw new StoplogError(
      'STOPLOG_USAGE',
      { command: name },
      `${what}.${suggestion(name, [...commands.map((one) => one.name), 'help', '--help', '--version'])} The commands are ${commands.map((one) => one.name).join(', ')}; see 'stoplog --help'.`,
    );
  }
  const [action, operands] = actionOf(command, others);
  if (first === 'help' || asksForHelp(operands)) {
    await output.write(`stoplog ${action.name}: ${action.summary}\n\n${action.help}\n${actionsText(action)}\n${EXIT_CODES}\n`);
    return 0;
  }
  return action.run(readArguments(action, operands), output);
};

/** `groups reset x` is the action 'groups reset' with the operand x; `groups` and `groups list` are the command itself. */
const actionOf = (command: Command, rest: readonly string[]): readonly [Command, readonly string[]] => {
  const [word, ...operands] = rest;
  if (command.actions === undefined || word === undefined || word.startsWith('-')) return [command, rest];
  if (word === 'list') return [command, operands];
  const names = command.actions.map(wordOf);
  const action = command.actions[names.indexOf(word)];
  if (action !== undefined) return [action, operands];
  // A command with an operand of its own, such as `rebuild STORE`.
  if (command.operands.length > 0) return [command, rest];
  throw new StoplogError(
    'STOPLOG_USAGE',
    { command: command.name, action: word },
    `'stoplog ${command.name}' cannot '${oneLine(word)}'.${suggestion(word, ['list', ...names])} It can list, ${names.join(', ')}; see 'stoplog ${command.name} --help'.`,
  );
};
const wordOf = ({ name }: Command): string => name.split(' ').at(-1)!;
const actionsText = ({ actions = [] }: Command): string =>
  actions.length === 0
    ? ''
    : `\nActions\n${columns(actions.map(({ name, summary }) => [`  stoplog ${name}`, summary]))
        .map((line) => `${line}\n`)
        .join('')}`;

const asksForHelp = (argv: readonly string[]): boolean => {
  const options = argv.includes('--') ? argv.slice(0, argv.indexOf('--')) : argv;
  return options.includes('--help') || options.includes('-h');
};

const version = (): string => (JSON.parse(readFileSync(new URL('../../package.json', import.meta.url), 'utf8')) as { readonly version: string }).version;

/** Whether the command line was wrong, and not a line of the input. */
const isUsage = (error: unknown): boolean => isStoplogError(error) && error.code === 'STOPLOG_USAGE' && error.facts['line'] === undefined;

const reported = (error: unknown): string => {
  const { STOPLOG_DEBUG } = process.env;
  const known = error instanceof Error ? error : new Error(String(error));
  const [head = '', ...others] = sentence(known).split('\n');
  const lines = [head, ...others.map((line) => `  ${line}`)];
  if (STOPLOG_DEBUG !== undefined && STOPLOG_DEBUG !== '' && STOPLOG_DEBUG !== '0')
    lines.push(...(isStoplogError(error) ? [`  ${error.docs}`] : []), printable(stacks(known)));
  else if (!isStoplogError(error)) lines.push('  This is not one of our errors; STOPLOG_DEBUG=1 shows where it comes from.');
  return lines.join('\n');
};

const stacks = (error: Error): string => `${error.stack ?? ''}${error.cause instanceof Error ? `\ncaused by ${stacks(error.cause)}` : ''}`;
