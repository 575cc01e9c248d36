/** Retention and compaction as lines for the console of a running app: topics that were cleaned, and cleanings that fail. */
import type { PartitionCleaning } from '@stoplog/core/tools';
import { printable } from './printable.ts';
import { grouped, secondsText, sizeText } from './quantity-text.ts';

/** `cleaning of orders[0] failed 5 s ago, 3 times in a row; again in 55 s: CODE  sentence` */
export const failureText = ({ topic, partition, failure }: PartitionCleaning, now: number): string | undefined => {
  if (failure === undefined) return undefined;
  const { at, attempts, retryAt, code, message } = failure;
  const when = [now > at ? ` ${agoText(at, now)}` : '', attempts === 1 ? '' : `, ${attempts} times in a row`].join('');
  const again = retryAt <= now ? 'again at the next look' : `again in ${secondsText((retryAt - now) / 1000)}`;
  return `cleaning of ${topic}[${partition}] failed${when}; ${again}: ${printable(`${code}  ${message}`)}`;
};

/** A line for each topic that was cleaned since an earlier look: the sums of the last cleaning of each partition. */
export const cleanedNews = (before: readonly PartitionCleaning[], after: readonly PartitionCleaning[]): readonly string[] => {
  const was = byName(before);
  const cleaned = after.filter((one) => one.last !== undefined && one.last.at !== was.get(nameOf(one))?.last?.at && didAnything(one.last));
  return [...new Set(cleaned.map(({ topic }) => topic))].map((topic) => {
    const parts = cleaned.filter((one) => one.topic === topic);
    const sum = (of: (last: NonNullable<PartitionCleaning['last']>) => number): number => parts.reduce((total, { last }) => total + of(last!), 0);
    const where = parts.length === 1 ? `${topic}[${parts[0]!.partition}]` : `${parts.length} partitions of ${topic}`;
    const records = sum(({ dropped, startBefore, start }) => dropped + Number(start - startBefore));
    const sizes = `${sizeText(sum(freedBytes))} freed, ${sizeText(sum(({ bytes }) => bytes))} kept`;
    return `${where} cleaned: ${grouped(records)} records, ${sizes}, in ${secondsText(sum(({ tookMs }) => tookMs) / 1000)}`;
  });
};
/** A line for each partition whose cleaning began to fail, or fails for another reason. */
export const failureNews = (before: readonly PartitionCleaning[], after: readonly PartitionCleaning[]): readonly string[] => {
  const was = byName(before);
  return after.flatMap((one) => {
    const { failure } = one;
    return failure === undefined || was.get(nameOf(one))?.failure?.code === failure.code ? [] : [failureText(one, failure.at)!];
  });
};

const byName = (descriptions: readonly PartitionCleaning[]): ReadonlyMap<string, PartitionCleaning> => new Map(descriptions.map((one) => [nameOf(one), one]));
export const freedBytes = ({ bytesBefore, bytes }: { readonly bytesBefore: number; readonly bytes: number }): number => Math.max(0, bytesBefore - bytes);
const didAnything = (last: NonNullable<PartitionCleaning['last']>): boolean => last.dropped > 0 || last.start > last.startBefore;
const nameOf = ({ topic, partition }: PartitionCleaning): string => `${partition}:${topic}`;
/** `5 s ago` */
export const agoText = (at: number, now: number): string => `${secondsText(Math.max(0, now - at) / 1000)} ago`;
