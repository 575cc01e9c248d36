/** The progress of a check or repair: a row that is redrawn, or a line every five seconds; nothing in the first second. */
import type { InspectionProgress } from '@stoplog/core/tools';
import { grouped, secondsText } from '@stoplog/runtime/kit';
import type { StatusRow } from './status-row.ts';

const QUIET_MS = 1_000;
const DRAW_EVERY_MS = 100;
const PLAIN_EVERY_MS = 5_000;
const MB = 1_000_000;

export const watchInspection = (what: string, row: StatusRow): ((progress: InspectionProgress) => void) => {
  const began = performance.now();
  let reported = began + QUIET_MS - (row.live ? DRAW_EVERY_MS : PLAIN_EVERY_MS);
  return ({ done, total, records }) => {
    const now = performance.now();
    if (now - reported < (row.live ? DRAW_EVERY_MS : PLAIN_EVERY_MS)) return;
    reported = now;
    const seconds = (now - began) / 1_000;
    const rate = done / seconds;
    const share = total === 0 ? 100 : Math.floor((done / total) * 100);
    const line = `${what}   ${grouped(done / MB)} of ${grouped(total / MB)} MB   ${share} %   ${(rate / MB).toFixed(1)} MB/s   ${grouped(records / seconds)} records/s   ${rate > 0 ? secondsText((total - done) / rate) : '–'} left`;
    if (row.live) row.show(line);
    else row.say(line);
  };
};
