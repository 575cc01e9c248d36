/**
 * Names of unfinished folders: each tells the kind of operation, and the process that runs it.
 *
 * A finished folder takes its place by one rename, when it is whole and durable. The process in the name shows whether an
 * unfinished folder was left by a dead process or is in work; the next operation removes the former.
 */
import { readdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { isAlive, processStarted } from './process.ts';

export type Making = 'shrink' | 'restore' | 'backup';

export interface Unfinished {
  readonly name: string;
  readonly making: Making;
  readonly pid: number;
  readonly alive: boolean;
}

export const unfinishedName = (making: Making): string => `unfinished-${making}-${process.pid}-${processStarted(process.pid)}`;

export const asUnfinished = (name: string): Unfinished | undefined => {
  const [, making, pid, started] = /^unfinished-(shrink|restore|backup)-(\d+)-(\d*)$/.exec(name) ?? [];
  return making === undefined ? undefined : { name, making: making as Making, pid: Number(pid), alive: isAlive(Number(pid), started!) !== false };
};

export const unfinishedIn = (folder: string): readonly Unfinished[] =>
  readdirSync(folder).flatMap((name) => {
    const found = asUnfinished(name);
    return found === undefined ? [] : [found];
  });

/** Removes the unfinished folders of dead processes of a kind, and none of a living one. */
export const removeDead = (folder: string, making: Making): void => {
  for (const one of unfinishedIn(folder)) if (one.making === making && !one.alive) rmSync(join(folder, one.name), { recursive: true, force: true });
};

/** A backup is made beside its target: `.NAME.unfinished-…`. */
export const besideName = (target: string): string => join(dirname(target), `.${basename(target)}.${unfinishedName('backup')}`);
export const removeDeadBeside = (target: string): void => {
  const prefix = `.${basename(target)}.`;
  for (const name of readdirSync(dirname(target))) {
    const found = name.startsWith(prefix) ? asUnfinished(name.slice(prefix.length)) : undefined;
    if (found !== undefined && !found.alive) rmSync(join(dirname(target), name), { recursive: true, force: true });
  }
};
