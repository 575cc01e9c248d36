/** What lies on pages, as values: opened where the checksum agrees. That it does not is told by who reads, not thrown. */
import { isStoplogError } from '../../pure/errors.ts';
import { unseal, type Table } from '../layout/keyspace.ts';

export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** undefined: what was to be opened is damaged. */
export const unlessDamaged = <T>(open: () => T): T | undefined => {
  try {
    return open();
  } catch (error) {
    if (isStoplogError(error)) return undefined;
    throw error;
  }
};
export const openSealed = (table: Table, key: Buffer, value: Buffer): Buffer | undefined => unlessDamaged(() => asBuffer(unseal(table, key, value)));
