/** The command that moves a group past the record at which its partition has failed. */
import { isStoplogError } from '@stoplog/core';

/** Undefined if the error does not name one record of a topic: a source cannot be moved. */
export const skipCommand = (group: string, error: unknown): string | undefined => {
  if (!isStoplogError(error)) return undefined;
  const { topic, partition, offset, among } = error.facts;
  if (typeof topic !== 'string' || typeof partition !== 'number' || typeof offset !== 'bigint' || (among !== undefined && among !== 1)) return undefined;
  return `stoplog groups reset ${group} --topic ${topic} --partition ${partition} --to-offset ${offset + 1n} --execute`;
};
