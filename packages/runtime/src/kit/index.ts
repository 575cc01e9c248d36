/**
 * `@stoplog/runtime/kit`: the parts of the runtime that the command line uses too, and no other package needs.
 *
 * Plans and their drawings, an app whose events the caller prints itself, the signals that end the app, and the words for counts,
 * durations and sizes that the console and the commands share.
 */
import type { App } from '../shell/app.ts';
import type { Teller } from '../shell/console.ts';
import type { RunOptions } from '../shell/run.ts';
import type { Plan } from '../pure/topology/plan.ts';

export type { Plan, Task, TaskStore } from '../pure/topology/plan.ts';
export { drawText } from '../pure/topology/draw.ts';
export { drawMermaid } from '../pure/topology/mermaid.ts';
export { loadPlanWatching } from '../shell/load-plan.ts';
export { sentence, tellConsole, type Teller, type Told } from '../shell/console.ts';
export { onStopSignals } from '../shell/stop-signals.ts';
export { orLackOfFiles } from '../shell/open-files.ts';
export { oneLine, printable } from '../pure/console/printable.ts';
export { exactDurationText, grouped, secondsText, sizeText } from '../pure/console/quantity-text.ts';
export { agoText, failureText, freedBytes } from '../pure/console/cleaning-news.ts';

/** Starts an app as `run` does, for a caller that prints the events of the app in its own way. The threads and rxjs are loaded when it is called. */
export const startApp = async (url: URL, options: RunOptions, tellerFor: (plan: Plan) => Teller): Promise<App> =>
  (await import('../shell/run.ts')).startApp(url, options, tellerFor);
