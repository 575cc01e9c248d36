/** `--log lmdb:./data`: the log that a command works on. */
import { type NumberedClient, StoplogError } from '@stoplog/core';
import type { Capability, Log, LogRef, TopicShape } from '@stoplog/core/port';
import { loadTools, type Tools } from '@stoplog/core/tools';
import { makeClient, openPort } from '@stoplog/core/kit';
import { lmdb } from '@stoplog/core/lmdb';
import { oneLine } from '@stoplog/runtime/kit';
import { suggestion } from '../text/suggest.ts';

const DEFAULT_LOG = 'lmdb:./data';
/** Ends the name of a folder whose group is trusted. */
const GROUP = '?groupMayWrite';
export const LOG_HELP: string = `  --log lmdb:FOLDER     the log; ${DEFAULT_LOG} when left out. 'lmdb:FOLDER${GROUP}' trusts the folder's group`;

export interface LogArgument {
  /** The argument as typed. */
  readonly text: string;
  readonly ref: LogRef<Capability>;
}

/** `create: false` refuses a folder that holds no log yet. */
export const logArgument = (text: string | undefined, { create }: { readonly create: boolean }): LogArgument => {
  const given = text ?? DEFAULT_LOG;
  const [, scheme, rest] = /^([a-zA-Z][a-zA-Z0-9+.-]+):(.*)$/s.exec(given) ?? [];
  const wrong = (what: string): StoplogError =>
    new StoplogError('STOPLOG_USAGE', { log: given }, `${what}: give --log lmdb:FOLDER, such as --log ${DEFAULT_LOG}`);
  if (scheme === undefined) throw wrong(`--log '${oneLine(given)}' does not say what kind of log it is`);
  if (scheme !== 'lmdb') throw wrong(`there is no log of the kind '${oneLine(scheme)}', only lmdb`);
  if (rest === undefined || rest === '') throw wrong(`--log '${oneLine(given)}' names no folder`);
  const groupMayWrite = rest.endsWith(GROUP);
  return {
    text: given,
    ref: lmdb(groupMayWrite ? rest.slice(0, -GROUP.length) : rest, { ...(create ? {} : { create }), ...(groupMayWrite ? { groupMayWrite } : {}) }),
  };
};

export interface OpenedLog extends AsyncDisposable {
  readonly module: Tools;
  readonly log: Log;
  readonly client: NumberedClient;
  readonly topics: readonly TopicShape[];
}

export const openForTools = async ({ ref }: LogArgument): Promise<OpenedLog> => {
  const module = await loadTools(ref);
  const log = await openPort(ref);
  const client = makeClient(log);
  try {
    return { module, log, client, topics: await module.topics(log), [Symbol.asyncDispose]: () => client[Symbol.asyncDispose]() };
  } catch (error) {
    await client[Symbol.asyncDispose]();
    throw error;
  }
};

/** The topic of that name, or an error that lists the existing topics. */
export const topicNamed = (name: string, topics: readonly TopicShape[], { text }: LogArgument, remedy: string): TopicShape => {
  const found = topics.find((shape) => shape.name === name);
  if (found !== undefined) return found;
  const names = topics.map((shape) => shape.name);
  const there =
    names.length === 0 ? 'it holds no topics yet' : `it holds ${names.slice(0, 12).join(', ')}${names.length > 12 ? ` and ${names.length - 12} more` : ''}`;
  throw new StoplogError(
    'STOPLOG_TOPIC_UNKNOWN',
    { topic: name, topics: names },
    `there is no topic '${oneLine(name)}' in ${text}: ${there}.${suggestion(name, names)} ${remedy}`,
  );
};
