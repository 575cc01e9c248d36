/**
 * What an app says on standard error: what a person who watches it needs to know, a line each, and nothing per record.
 */
import { isStoplogError } from '@stoplog/core/port';
import type { Plan } from '../pure/topology/plan.ts';
import type { HostEvent } from './actors/host.ts';

export type Told = HostEvent | { readonly type: 'waiting' | 'draining' | 'ended' };
export type Teller = (event: Told) => void;

export const tellConsole = (plan: Plan, write: (line: string) => void = (line) => process.stderr.write(`${line}\n`)): Teller => {
  const actors = plan.tasks.reduce((sum, task) => sum + task.partitions, 0);
  return (event) => {
    const line = lineOf(event, plan.name, actors);
    if (line !== undefined) write(line);
  };
};

const lineOf = (event: Told, name: string, actors: number): string | undefined => {
  switch (event.type) {
    case 'waiting':
      return `stoplog   ${name}   waiting: another process runs this pipeline on this log, and has its partitions`;
    case 'draining':
      return `stoplog   ${name}   draining ${actors} actors; a second signal ends at once`;
    case 'restarting':
      return `stoplog   ${name}   task ${event.actor.task}[${event.actor.partition}] failed, again in ${(event.afterMs / 1000).toFixed(1)} s: ${sentence(event.error)}`;
    case 'given-up':
      return `stoplog   ${name}   task ${event.actor.task}[${event.actor.partition}] given up; the others go on: ${sentence(event.error)}`;
    case 'fatal':
      return `stoplog   ${name}   ${sentence(event.error)}`;
    case 'ended':
    case 'running':
    case 'idle':
    case 'progress':
      return undefined;
  }
};

const sentence = (error: Error): string => printable(isStoplogError(error) ? `${error.code}  ${error.message}` : `${error.name}: ${error.message}`);

/** Data may be in it: what would steer a terminal is shown, not obeyed. */
export const printable = (text: string): string => text.replace(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/g, (c) => `\\u${c.charCodeAt(0).toString(16).padStart(4, '0')}`);
