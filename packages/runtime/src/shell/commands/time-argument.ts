/** A time on the command line: `2026-01-02`, `2026-01-02T03:04:05Z`; without a zone it is local, as ISO 8601 has it. */
import { StoplogError } from '@stoplog/core/port';
import { oneLine } from '../../pure/console/printable.ts';

/** Milliseconds since 1970; undefined when the text is no time. */
export const timeOf = (text: string): number | undefined => {
  const time = /^\d{4}-\d\d-\d\d/.test(text) ? Date.parse(text) : Number.NaN;
  return Number.isFinite(time) ? time : undefined;
};

export const timeIn = (text: string, option: string): number => {
  const time = timeOf(text);
  if (time !== undefined) return time;
  throw new StoplogError('STOPLOG_USAGE', { [option]: text }, `--${option} '${oneLine(text)}' is no time: write 2026-01-02 or 2026-01-02T03:04:05Z`);
};
