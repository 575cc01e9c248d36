/**
 * Loads the tools of a log. A keeper has those that fit it; one that it lacks is refused by its name when it is called.
 */
import type { LogRef } from '../port/log-module.ts';
import type { Tools } from '../port/tools.ts';
import { StoplogError } from '../pure/errors.ts';
import { loadLogModule } from './open.ts';

/** In the words of a person, for the refusal. */
const NAMES: { readonly [name in keyof Tools]: string } = {
  topics: 'list its topics',
  clean: 'apply retention and compaction on command',
  groups: 'list its groups',
  cleanings: 'report its retention and compaction',
  setPositions: 'reset a group',
  deleteGroup: 'delete a group',
  deleteTopic: 'delete a topic',
  adoptRebuild: 'adopt a rebuild',
  usage: 'measure its size',
  backup: 'make a backup',
  restore: 'be made from a backup',
  shrink: 'be shrunk',
  check: 'be checked',
  repair: 'be repaired',
};

/** The tools that the log of this LogRef has; the others reject with `STOPLOG_USAGE`. */
export const loadTools = async (ref: LogRef): Promise<Tools> => {
  const has = (await (await loadLogModule(ref)).tools?.()) ?? {};
  const lacking = (name: keyof Tools) => (): Promise<never> =>
    Promise.reject(
      new StoplogError(
        'STOPLOG_USAGE',
        { tool: name, module: ref.module },
        `this log cannot ${NAMES[name]}: it has no tool '${name}'. Use the tools of the system that keeps it, or keep the topics in a log that has the tool, such as lmdb('./data')`,
      ),
    );
  // Every tool is a function of promises, so a refusal in its place has its type.
  return Object.fromEntries((Object.keys(NAMES) as (keyof Tools)[]).map((name) => [name, has[name] ?? lacking(name)])) as unknown as Tools;
};
