/** Opens values read from pages, where the checksum matches. A mismatch is returned, not thrown: the caller reports it. */
import { isStoplogError } from '../../pure/errors.ts';
import { unseal, type Table } from '../layout/keyspace.ts';

export const asBuffer = (bytes: Uint8Array): Buffer => Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);

/** undefined when the value is damaged. */
export const unlessDamaged = <T>(open: () => T): T | undefined => {
  try {
    return open();
  } catch (error) {
    if (isStoplogError(error)) return undefined;
    throw error;
  }
};
export const openSealed = (table: Table, key: Buffer, value: Buffer): Buffer | undefined => unlessDamaged(() => asBuffer(unseal(table, key, value)));
