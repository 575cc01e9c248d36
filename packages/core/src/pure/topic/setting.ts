/**
 * A setting as an entry of a table: its type, its bounds, its default, its name everywhere it appears, and a sentence.
 *
 * Types, checks, errors, command line options, help and documents are derived from such a table (`topic-settings.ts`), so a new
 * setting is one entry and no two places can disagree.
 */
import { StoplogError } from '../errors.ts';
import type { Millis } from '../time/duration.ts';

export interface Setting {
  readonly type: 'count' | 'duration' | 'bytes' | 'share' | 'choice';
  /** The values of a choice; the default is the first. */
  readonly choices?: readonly string[];
  /** The bounds of a number, both included. */
  readonly least?: number;
  readonly most?: number;
  /** The value where the setting is left out; absent for no limit. */
  readonly default?: number | string;
  /** The default on the command line and in documents. */
  readonly defaultText: string;
  /** A value as a declaration writes it. */
  readonly example: string;
  /** Where the value is stored: on the shape, in its `forgetting`, or with the declaration alone. */
  readonly keptIn: 'shape' | 'forgetting' | 'declaration';
  readonly kept: string;
  /** The option on the command line, and a value for it. */
  readonly option?: string;
  readonly optionExample?: string;
  readonly kafka?: { readonly name: string; readonly default: string };
  /** A sentence without its full stop: the effect of the setting. */
  readonly sentence: string;
}
export type SettingTable = Readonly<Record<string, Setting>>;

type Choice<S extends Setting> = S extends { readonly choices: readonly (infer C)[] } ? C : never;
/** A setting's value as a declaration gives it. */
export type Declared<S extends Setting> = S['type'] extends 'choice' ? Choice<S> : S['type'] extends 'duration' ? Millis : number;
/** A setting's value as a shape stores it: milliseconds are plain numbers. */
export type Kept<S extends Setting> = S['type'] extends 'choice' ? Choice<S> : number;
/** The type of a declaration with these settings. */
export type SettingsIn<T extends SettingTable> = { readonly [N in keyof T]?: Declared<T[N]> };
/** The part of these settings that a shape stores in `forgetting`. */
export type KeptIn<T extends SettingTable> = {
  readonly [N in keyof T as T[N] extends { readonly keptIn: 'forgetting' } ? T[N]['kept'] : never]?: Kept<T[N]> | undefined;
};

/** Refuses a value of the wrong type or out of bounds; `topic` is the owner of the setting. */
export const checkSetting = (topic: string, name: string, setting: Setting, found: unknown): void => {
  if (!fits(setting, found)) throw unfit(topic, name, found, remedyOf(setting));
};

export const unfit = (topic: string, name: string, found: unknown, remedy: string): StoplogError =>
  new StoplogError('STOPLOG_USAGE', { topic, [name]: found }, `topic '${topic}' cannot have ${name}: ${String(found)}: ${remedy}, or leave it out`);

const fits = ({ type, choices, least = 0, most = Infinity }: Setting, found: unknown): boolean => {
  if (type === 'choice') return choices!.includes(found as string);
  return typeof found === 'number' && found >= least && found <= most && (type === 'share' || Number.isSafeInteger(found));
};

const remedyOf = ({ type, choices, least = 0, most = Infinity, example }: Setting): string => {
  switch (type) {
    case 'choice':
      return `take ${choices!.map((choice) => `'${choice}'`).join(' or ')}`;
    case 'count':
      return `take a whole number from ${least} to ${most}`;
    case 'share':
      return `take a share from ${least} to ${most}`;
    case 'bytes':
      return `take bytes, such as ${example}`;
    case 'duration':
      return `take ${example}`;
  }
};
