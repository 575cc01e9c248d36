/** The topic, partition and offsets between two keys of a table, if both are of one partition. */
import type { Places } from '../../../pure/log/finding.ts';
import type { Names } from './names.ts';

export const keyPlaces = (table: string, after: Uint8Array | undefined, before: Uint8Array | undefined, { topics, stores, groups }: Names): Places => {
  const key = after ?? before;
  if (key === undefined || key.length < 4) return {};
  const at = Buffer.from(key.buffer, key.byteOffset, key.byteLength);
  if (table === 'stores') {
    const store = stores.get(at.readUInt32BE(0))?.name;
    return store === undefined ? {} : { store, ...(key.length >= 8 ? { partition: at.readUInt32BE(4) } : {}) };
  }
  if (table === 'groups' || table === 'positions') {
    const group = groups.get(at.readUInt32BE(0));
    return group === undefined ? {} : { group };
  }
  if (!['log', 'segments', 'times', 'ends'].includes(table) || key.length < 8) return {};
  const topic = topics.get(at.readUInt32BE(0))?.name;
  if (topic === undefined) return {};
  const place = { topic, partition: at.readUInt32BE(4) };
  if ((table !== 'log' && table !== 'segments') || key.length < 16) return place;
  return { ...place, offset: at.readBigUInt64BE(8) };
};
