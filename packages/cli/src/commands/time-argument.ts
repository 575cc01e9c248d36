/** A time on the command line. */
import { StoplogError } from '@stoplog/core';
import { oneLine } from '@stoplog/runtime/kit';
import { timeOf } from '../text/time-text.ts';

export const timeIn = (text: string, option: string): number => {
  const time = timeOf(text);
  if (time !== undefined) return time;
  throw new StoplogError('STOPLOG_USAGE', { [option]: text }, `--${option} '${oneLine(text)}' is no time: write 2026-01-02 or 2026-01-02T03:04:05Z`);
};
