/**
 * The way from a `LogRef` to a log in each thread: a `LogRef` is plain data and names a module, the module opens the log, and a link
 * lets the log of another thread commit through this one's.
 */
import type { TransferListItem } from 'node:worker_threads';
import type { Log } from './log.ts';
import type { Tools } from './tools.ts';

/** The module that a `LogRef` names: opens its log in any thread. */
export interface LogModule {
  /** Opens the log in this thread. `link` resolves with the `data` of a link from the thread that opened the log first. */
  open(options: unknown, link?: Promise<unknown>): Promise<Log>;
  /** A link for another thread, whose log then commits through this thread's. */
  share(log: Log): Promise<LogLink>;
  /** Loads the tools that this keeper has. */
  tools?(): Promise<Partial<Tools>>;
}
/** `data` is sent to the other thread by `postMessage(data, transfer)`; only the keeper can interpret `data`. */
export interface LogLink {
  readonly data: unknown;
  readonly transfer: readonly TransferListItem[];
}

/** Promises beyond the port that some logs keep (numbered-log.ts): producers that number records, and conditional appends. */
export type Capability = 'producers' | 'condition';
/** A log as plain data: code crosses a thread by URL, data by bytes. `C` are the capabilities that its log has. */
export interface LogRef<C extends Capability = never> {
  readonly module: string;
  readonly options: unknown;
  readonly capabilities?: { readonly [capability in C]: true };
}
