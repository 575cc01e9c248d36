/** `--timestamps given | arrival`: whose times the records of a topic have. */
import { StoplogError } from '@stoplog/core';
import { oneLine } from '@stoplog/runtime/kit';
import type { Arguments } from './arguments.ts';

export const timestampsIn = (given: Arguments): 'given' | 'arrival' | undefined => {
  const text = given.text('timestamps');
  if (text === undefined || text === 'given' || text === 'arrival') return text;
  throw new StoplogError('STOPLOG_USAGE', { timestamps: text }, `--timestamps '${oneLine(text)}' is nobody's: give given, or arrival`);
};
