/** The positions, stores and topics that are deleted with a group, as data and in words. */
import type { GroupDescription } from '@stoplog/core/tools';

export const contentsOf = ({
  positions,
  stores,
  owns,
}: GroupDescription): { readonly positions: number; readonly stores: readonly string[]; readonly topics: readonly string[] } => ({
  positions: positions.length,
  stores: stores.map(({ store }) => store),
  topics: owns,
});
export const contentsText = (description: GroupDescription): string => {
  const { positions, stores, topics } = contentsOf(description);
  const counted = `its ${positions} ${positions === 1 ? 'position' : 'positions'}`;
  const named = stores.length === 0 ? 'no stores' : `the ${stores.length === 1 ? 'store' : 'stores'} ${stores.join(', ')}`;
  return topics.length === 0 ? `${counted} and ${named}` : `${counted}, ${named} and the ${topics.length === 1 ? 'topic' : 'topics'} ${topics.join(', ')}`;
};
