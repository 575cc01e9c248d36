/**
 * The size limits of a record. They are checked on writing, so that every written record can be read, copied and moved.
 *
 * A key is hashed for its partition, held in memory by each fold over it, and written again with every change of its entry: a
 * megabyte is more than a name needs and less than causes harm. A log with smaller limits of its own handles them itself.
 */
import { StoplogError } from '../errors.ts';

export const MAX_KEY_BYTES: number = 1024 * 1024;
/**
 * A store's key is another encoding of a record's, and may be longer: a number of nine bytes is text of up to 24 in a
 * composed key.
 */
export const MAX_STORE_KEY_BYTES: number = 4 * MAX_KEY_BYTES;
export const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;

/** Refuses a record over a limit. Key, value, header names and header values count. */
export const checkRecordSize = (keySize: number, valueSize: number, headersSize = 0): void => {
  if (keySize > MAX_KEY_BYTES) {
    throw new StoplogError(
      'STOPLOG_KEY_TOO_LONG',
      { size: keySize, limit: MAX_KEY_BYTES },
      `a key of ${keySize} bytes is over the limit of ${MAX_KEY_BYTES}: key by an id or a hash, and keep the long text in the value`,
    );
  }
  const size = keySize + valueSize + headersSize;
  if (size > MAX_RECORD_BYTES) {
    throw new StoplogError(
      'STOPLOG_RECORD_TOO_LARGE',
      { size, limit: MAX_RECORD_BYTES },
      `a record of ${size} bytes is over the limit of ${MAX_RECORD_BYTES}: split it, or store the bytes elsewhere and send their address`,
    );
  }
};
