/**
 * Reads a command line by the options of its command. Errors name the wrong argument and the remedy.
 */
import { parseArgs } from 'node:util';
import { StoplogError } from '@stoplog/core';
import { oneLine } from '@stoplog/runtime/kit';
import { suggestion } from '../text/suggest.ts';

export type OptionTypes = Readonly<Record<string, 'text' | 'flag'>>;

export interface Arguments {
  /** The required operands of the command, and the optional one if it was given. */
  readonly operands: readonly string[];
  text(option: string): string | undefined;
  flag(option: string): boolean;
  /** A whole number from `least` to `most`. */
  number(option: string, least: number, most?: number): number | undefined;
}

export const readArguments = (
  command: { readonly name: string; readonly options: OptionTypes; readonly operands: readonly string[]; readonly optional?: string },
  argv: readonly string[],
): Arguments => {
  const wrong = (what: string): StoplogError => new StoplogError('STOPLOG_USAGE', { command: command.name }, `${what} See 'stoplog ${command.name} --help'.`);
  const options = Object.fromEntries(
    Object.entries(command.options).map(([name, type]) => [name, { type: type === 'text' ? ('string' as const) : ('boolean' as const) }]),
  );
  const { tokens } = parseArgs({ args: [...argv], options, allowPositionals: true, strict: false, tokens: true });
  const texts = new Map<string, string>();
  const flags = new Set<string>();
  const operands: string[] = [];
  for (const token of tokens) {
    if (token.kind === 'positional') operands.push(token.value);
    if (token.kind !== 'option') continue;
    const type = Object.hasOwn(command.options, token.name) ? command.options[token.name] : undefined;
    if (type === undefined)
      throw wrong(
        `'stoplog ${command.name}' has no option ${oneLine(token.rawName)}.${suggestion(
          token.rawName,
          Object.keys(command.options).map((name) => `--${name}`),
        )}`,
      );
    if (type === 'flag') {
      if (token.value !== undefined) throw wrong(`${token.rawName} takes no value.`);
      flags.add(token.name);
      continue;
    }
    if (token.value === undefined) throw wrong(`${token.rawName} needs a value.`);
    if (!token.inlineValue && /^-(?!\d+$)./.test(token.value))
      throw wrong(`${token.rawName} needs a value; if ${oneLine(token.value)} is meant, write ${token.rawName}=${oneLine(token.value)}.`);
    if (texts.has(token.name)) throw wrong(`${token.rawName} is given twice: give it once.`);
    texts.set(token.name, token.value);
  }
  if (operands.length < command.operands.length) throw wrong(`'stoplog ${command.name}' needs ${command.operands.slice(operands.length).join(' and ')}.`);
  const most = command.operands.length + (command.optional === undefined ? 0 : 1);
  if (operands.length > most) throw wrong(`'stoplog ${command.name}' does not know what to do with '${oneLine(operands[most]!)}'.`);
  return {
    operands,
    text: (option) => texts.get(option),
    flag: (option) => flags.has(option),
    number: (option, least, most = Infinity) => {
      const text = texts.get(option);
      if (text === undefined) return undefined;
      const number = Number(text);
      if (/^\d+$/.test(text) && Number.isSafeInteger(number) && number >= least && number <= most) return number;
      throw wrong(`--${option} is '${oneLine(text)}': give a whole number from ${least} ${most === Infinity ? 'on' : `to ${most}`}.`);
    },
  };
};
