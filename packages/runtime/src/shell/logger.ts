/**
 * Logs the events of an app: to standard error, to a logger of the program, or not at all.
 *
 * A logger has pino's shape. Each line has the event as an object and a sentence for people.
 */
import { isStoplogError, StoplogError } from '@stoplog/core';
import { EventText, type EventLine, type Level } from '../pure/console/event-text.ts';
import type { AppEvent } from '../pure/host/app-event.ts';
import type { Plan } from '../pure/topology/plan.ts';

/**
 * A logger of pino's shape: an object with the facts, then the sentence.
 *
 * @example
 * const app = await run(url, { log: lmdb('./data'), logger: pino() });
 */
export interface Logger {
  info(facts: object, message: string): void;
  warn(facts: object, message: string): void;
  error(facts: object, message: string): void;
}
/** The part of `run`'s options that says where events are logged. */
export type Logging = 'console' | 'none' | Logger;

/** Called with each event of an app. */
export type Reporter = (event: AppEvent) => void;

export const checkLogging = (given: Logging | undefined): Logging => {
  if (given === undefined || given === 'console' || given === 'none') return given ?? 'console';
  const logger: unknown = given;
  if (typeof logger === 'object' && logger !== null && LEVELS.every((level) => typeof (logger as Record<string, unknown>)[level] === 'function')) return given;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { logger: typeof logger === 'string' ? logger : typeof logger },
    "logger is neither 'console' nor 'none', nor an object with the functions info, warn and error: pass a logger of pino's shape, such as pino()",
  );
};
const LEVELS: readonly Level[] = ['info', 'warn', 'error'];

export const reporterOf = (logging: Logging, plan: Plan): Reporter => {
  if (logging === 'none') return () => {};
  return logging === 'console' ? reportToConsole(plan) : reportTo(logging, plan);
};

/** Prints a line for each event that needs one. */
export const reportToConsole = (plan: Plan, write: (line: string) => void = (line) => process.stderr.write(`${line}\n`)): Reporter =>
  lines((line) => write(`stoplog   ${plan.name}   ${line.text}`));

const reportTo = (logger: Logger, plan: Plan): Reporter => lines(({ level, text }, event) => logger[level]({ pipeline: plan.name, ...factsOf(event) }, text));

const lines = (write: (line: EventLine, event: AppEvent) => void): Reporter => {
  const texts = new EventText();
  return (event) => {
    const line = texts.of(event);
    if (line !== undefined) write(line, event);
  };
};

/** The event as data that JSON can carry: an error as its code, message and facts. */
export const factsOf = ({ type, ...facts }: AppEvent): object => ({
  event: type,
  ...Object.fromEntries(
    Object.entries(facts).map(([name, fact]: [string, unknown]) => (fact instanceof Error ? ['err', errorFacts(fact)] : [name, plain(fact)])),
  ),
});
const errorFacts = (error: Error): object => ({
  type: error.name,
  message: error.message,
  ...(isStoplogError(error) ? { code: error.code, facts: plain(error.facts) } : {}),
  stack: error.stack,
});
/** Offsets are bigint, which JSON cannot carry. */
const plain = (fact: unknown): unknown => {
  if (typeof fact === 'bigint') return Number(fact);
  if (typeof fact !== 'object' || fact === null) return fact;
  if (Array.isArray(fact)) return fact.map(plain);
  return Object.fromEntries(Object.entries(fact).map(([name, one]) => [name, plain(one)]));
};
