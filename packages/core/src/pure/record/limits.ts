/**
 * How large a record may be. Checked where it is written, so that whatever was written can be read, copied and moved.
 *
 * The key's limit is LMDB's: a key that fits a log's record also fits a store.
 */
import { StoplogError } from '../errors.ts';

export const MAX_KEY_BYTES = 1_978;
/** A store's key is another encoding of a record's, and may be longer; behind its store's prefix it still fits a page. */
export const MAX_STORE_KEY_BYTES = 4_000;
export const MAX_RECORD_BYTES: number = 16 * 1024 * 1024;

/** Refuses a record over a limit. Counted are the bytes of key, value, header names and header values. */
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
      `a record of ${size} bytes is over the limit of ${MAX_RECORD_BYTES}: split it, or keep the bytes elsewhere and send where they are`,
    );
  }
};
