/** The progress of a backup, restore or shrink: on a terminal a row that is redrawn, elsewhere a line every five seconds. */
import type { Progress, Watch } from '@stoplog/core/tools';
import { secondsText, sizeText } from '@stoplog/runtime/kit';
import { exitCodeOf } from './interrupted.ts';
import { StatusRow } from './status-row.ts';
import { onStop } from './stopping.ts';

const PLAIN_EVERY_MS = 5_000;
const DRAW_EVERY_MS = 100;

/** The result, or the exit code of a command that was interrupted. */
type Outcome<T> = { readonly made: T } | { readonly made: undefined; readonly interrupted: number };

/** Calls `run` with a watch that shows the progress and is aborted by Ctrl-C and SIGTERM. */
export const withProgress = async <T extends object>(what: string, run: (watch: Watch) => Promise<T>): Promise<Outcome<T>> => {
  const stop = new AbortController();
  let interrupted: number | undefined;
  const stopListening = onStop((signal) => {
    interrupted = exitCodeOf(signal);
    stop.abort();
  });
  const row = await StatusRow.on(process.stderr);
  try {
    stop.signal.throwIfAborted();
    return { made: await run({ signal: stop.signal, onProgress: reporting(what, row) }) };
  } catch (error) {
    if (interrupted !== undefined && error === stop.signal.reason) return { made: undefined, interrupted };
    throw error;
  } finally {
    row.end();
    stopListening();
  }
};

const reporting = (what: string, row: StatusRow): ((progress: Progress) => void) => {
  let began = performance.now();
  let reported = began;
  let last: Progress['step'] | undefined;
  return ({ step, passed, total }) => {
    const now = performance.now();
    if (step !== last) [last, began] = [step, now];
    if (now - reported < (row.live ? DRAW_EVERY_MS : PLAIN_EVERY_MS)) return;
    reported = now;
    const rate = passed / ((now - began) / 1000);
    const share = total === 0 ? 100 : Math.floor((passed / total) * 100);
    const left = rate > 0 ? secondsText((total - passed) / rate) : '–';
    const line = `${what}   ${step}   ${sizeText(passed)} of ${sizeText(total)}   ${share} %   ${sizeText(Math.round(rate))}/s   ${left} left`;
    if (row.live) row.show(line);
    else row.say(line);
  };
};
