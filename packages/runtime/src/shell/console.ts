/**
 * What an app says on standard error: what a person who watches it needs to know, a line each, and nothing per record.
 */
import { isStoplogError } from '@stoplog/core/port';
import { printable } from '../pure/console/printable.ts';
import type { Plan } from '../pure/topology/plan.ts';
import type { HostEvent } from './actors/host.ts';

export type Told =
  | HostEvent
  /** What the log forgot, or why it could not: a line. */
  | { readonly type: 'cleaning'; readonly line: string }
  | { readonly type: 'opened'; readonly topicsCreated: number }
  | { readonly type: 'waiting' | 'draining' | 'ended' };
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
    case 'reset': {
      const { topic, partition, from, to } = event.jump;
      return `stoplog   ${name}   ${topic}[${partition}] no longer keeps the records from offset ${from}: task ${event.actor.task} goes on at ${to}. Keep them longer (retention), or run with reset: 'fail' to stop instead`;
    }
    case 'given-up':
      return `stoplog   ${name}   task ${event.actor.task}[${event.actor.partition}] given up; the others go on: ${sentence(event.error)}`;
    case 'fatal':
      return `stoplog   ${name}   ${sentence(event.error)}`;
    case 'cleaning':
      return `stoplog   ${name}   ${event.line}`;
    case 'opened':
    case 'ended':
    case 'running':
    case 'idle':
    case 'progress':
      return undefined;
  }
};

/** `CODE  what is wrong and what to do`; what it quotes from data steers no terminal. */
export const sentence = (error: Error): string => printable(isStoplogError(error) ? `${error.code}  ${error.message}` : `${error.name}: ${error.message}`);
