/**
 * The version of a record in a header: `orders[3]@17.0` is the topic partition, the offset and the index. As an entity tag it stands in quotes.
 *
 * Versions of one topic partition are in order; a version of another one, or a tag that is no version, is older than any.
 */
import { partitionName } from '@stoplog/core/kit';
import type { SinkRecord, SinkStart } from '@stoplog/core/port';

export const versionOf = (start: SinkStart, { offset, index }: Pick<SinkRecord, 'offset' | 'index'>): string => `${partitionName(start)}@${offset}.${index}`;

/** True where the target has this version, or a newer one of the same partition. */
export const hasVersion = (there: string | null, version: string): boolean => {
  const [found, wanted] = [parsed(there ?? ''), parsed(version)];
  if (found === undefined || wanted === undefined || found.place !== wanted.place) return false;
  return found.offset === wanted.offset ? found.index >= wanted.index : found.offset > wanted.offset;
};
const parsed = (text: string): { readonly place: string; readonly offset: bigint; readonly index: number } | undefined => {
  const found = /^(?:W\/)?"?([^"]+)@(\d+)\.(\d+)"?$/.exec(text);
  return found === null ? undefined : { place: found[1]!, offset: BigInt(found[2]!), index: Number(found[3]!) };
};
