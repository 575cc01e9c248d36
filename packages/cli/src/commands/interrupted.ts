/** The exit code of a command that a signal ended before it was done, as shells count: 128 and the number of the signal. */
import { constants } from 'node:os';

export const exitCodeOf = (signal: NodeJS.Signals): number => 128 + constants.signals[signal];
