/**
 * A setting that nobody knows is refused. Types say so too, but a module may run without ever having been checked: Node and our
 * command strip the types of a .ts file and run it. What was mistyped would then be left out without a word.
 */
import { StoplogError } from './errors.ts';

/** Every name of a settings' type, once: the compiler counts them. */
export type Known<T> = Readonly<Record<keyof T, true>>;

/** `whose`: as it is to be told, `topic 'orders'`. */
export const checkSettings = <T>(whose: string, given: T, known: Known<T>): void => {
  if (typeof given !== 'object' || given === null)
    throw new StoplogError('STOPLOG_USAGE', { whose, found: typeof given }, `${whose} needs settings: give an object with ${namesIn(known)}`);
  const unknown = Object.keys(given).find((name) => !Object.hasOwn(known, name));
  if (unknown !== undefined)
    throw new StoplogError('STOPLOG_USAGE', { whose, setting: unknown }, `${whose} knows no setting '${unknown}': it takes ${namesIn(known)}`);
};
const namesIn = (known: object): string => Object.keys(known).join(', ');
