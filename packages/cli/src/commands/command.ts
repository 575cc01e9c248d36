/** What a command of `stoplog` is: a help text that teaches, the options it knows, and what it does. */
import type { Arguments, OptionTypes } from './arguments.ts';
import type { Output } from './output.ts';

export interface Command {
  readonly name: string;
  /** One line, for the list of commands. */
  readonly summary: string;
  /** Examples first. */
  readonly help: string;
  readonly options: OptionTypes;
  /** What else is done with the same things: `stoplog groups reset` is an action of `groups`, named whole. */
  readonly actions?: readonly Command[];
  /** Names of the arguments that are no options, in order; all are required. */
  readonly operands: readonly string[];
  /** One more, which may be left out. */
  readonly optional?: string;
  /** Resolves to the exit code. */
  run(given: Arguments, output: Output): Promise<number>;
}
