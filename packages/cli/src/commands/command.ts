/** A command of `stoplog`: a help text that teaches, the known options, and a function that runs. */
import type { Arguments, OptionTypes } from './arguments.ts';
import type { Output } from './output.ts';

export interface Command {
  readonly name: string;
  /** A line for the list of commands. */
  readonly summary: string;
  /** The help text, which begins with examples. */
  readonly help: string;
  readonly options: OptionTypes;
  /** The actions of the command, each with its whole name: `groups reset` is an action of `groups`. */
  readonly actions?: readonly Command[];
  /** Names of the required operands (arguments that are not options), in order. */
  readonly operands: readonly string[];
  /** The name of one more operand, which may be left out. */
  readonly optional?: string;
  /** Resolves to the exit code. */
  run(given: Arguments, output: Output): Promise<number>;
}
