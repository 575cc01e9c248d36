/** The exit code of a command that a signal interrupted, as in shells: 128 plus the number of the signal. */
import { constants } from 'node:os';

export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];
