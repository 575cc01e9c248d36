/** How far something that copies bytes has come, while it does: a row of a terminal, elsewhere a line every five seconds. */
import type { Progress, Watch } from '@stoplog/core/port';
import { secondsText } from '../../pure/console/duration-text.ts';
import { sizeText } from '../../pure/console/size-text.ts';
import { onStopSignals } from '../stop-signals.ts';
import { StatusRow } from './status-row.ts';

const PLAIN_EVERY_MS = 5_000;
const DRAW_EVERY_MS = 100;

/** Runs it with a watch that Ctrl-C ends; undefined when it did. */
export const withProgress = async <T>(what: string, run: (watch: Watch) => Promise<T>): Promise<T | undefined> => {
  const row = new StatusRow(process.stderr);
  const stop = new AbortController();
  const stopListening = onStopSignals(() => stop.abort());
  try {
    return await run({ signal: stop.signal, onProgress: telling(what, row) });
  } catch (error) {
    if (stop.signal.aborted && error === stop.signal.reason) return undefined;
    throw error;
  } finally {
    row.end();
    stopListening();
  }
};

const telling = (what: string, row: StatusRow): ((progress: Progress) => void) => {
  let began = performance.now();
  let told = began;
  let last: Progress['step'] | undefined;
  return ({ step, passed, total }) => {
    const now = performance.now();
    if (step !== last) [last, began] = [step, now];
    if (now - told < (row.live ? DRAW_EVERY_MS : PLAIN_EVERY_MS)) return;
    told = now;
    const rate = passed / ((now - began) / 1000);
    const share = total === 0 ? 100 : Math.floor((passed / total) * 100);
    const left = rate > 0 ? secondsText((total - passed) / rate) : '–';
    const line = `${what}   ${step}   ${sizeText(passed)} of ${sizeText(total)}   ${share} %   ${sizeText(Math.round(rate))}/s   ${left} left`;
    if (row.live) row.show(line);
    else row.say(line);
  };
};
