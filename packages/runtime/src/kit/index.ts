/**
 * `@stoplog/runtime/kit`: the parts of the runtime that the command line uses too, and no other package needs.
 *
 * Plans and their drawings, an app whose events the caller prints itself, the signals that end the app, and the words for counts,
 * durations and sizes that the console and the commands share.
 */
import type { AloneOptions, LoneRebuild } from '../shell/replay/alone.ts';
import type { App } from '../shell/app.ts';
import type { Reporter } from '../shell/logger.ts';
import type { RunOptions } from '../shell/run.ts';
import type { Plan } from '../pure/topology/plan.ts';

export type { Plan, Task, TaskStore } from '../pure/topology/plan.ts';
export { drawText } from '../pure/topology/draw.ts';
export { drawMermaid } from '../pure/topology/mermaid.ts';
export { ancestryOf, type Ancestry } from '../pure/topology/ancestry.ts';
export { readHistory, type HistoryInput, type HistoryReading, type KeyHistory } from '../shell/history.ts';
export { loadPlanWatching } from '../shell/load-plan.ts';
export { sentence } from '../pure/console/event-text.ts';
export type { AppEvent } from '../pure/host/app-event.ts';
export { factsOf, reportToConsole } from '../shell/logger.ts';
export type { FailureNote } from '../pure/host/failure-note.ts';
export { readNotes } from '../shell/failure-notes.ts';
export { onStopSignals } from '../shell/stop-signals.ts';
export { orLackOfFiles } from '../shell/open-files.ts';
export { oneLine, printable } from '../pure/console/printable.ts';
export { exactDurationText, grouped, secondsText, sizeText } from '../pure/console/quantity-text.ts';
export { agoText, failureText, freedBytes } from '../pure/console/cleaning-news.ts';

export type { AloneOptions, LoneRebuild } from '../shell/replay/alone.ts';
export type { Difference, DifferingRecord, StoreComparison } from '../shell/replay/differences.ts';
export type { RebuildOptions } from '../shell/replay/prepare.ts';
export type { Needed, NeededStore } from '../pure/replay/needed.ts';
/** Prepares a rebuild in a process of its own. */
export const openRebuild = async (url: URL, options: AloneOptions): Promise<LoneRebuild | undefined> =>
  (await import('../shell/replay/alone.ts')).openRebuild(url, options);

/** Starts an app as `run` does, for a caller that prints the events of the app in its own way. The threads and rxjs are loaded when it is called. */
export const startApp = async (url: URL, options: RunOptions, reporterFor: (plan: Plan) => Reporter): Promise<App> =>
  (await import('../shell/run.ts')).startApp(url, options, reporterFor);
