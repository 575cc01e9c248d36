/**
 * The entry to the batch format: build, stamp, open, view. The bytes are drawn in batch-layout.ts.
 *
 * `openBatch` is for batches read from a log: it checks both checksums, and the view checks each record when it reaches it.
 * `checkBatchShape` is for batches from an untrusted writer: it also walks all records first.
 */
import { corrupt, inspectHeader, verifyBody } from './batch-layout.ts';
import { BatchView } from './batch-view.ts';
import { MAX_KEY_BYTES } from './limits.ts';

export { BatchBuilder } from './batch-builder.ts';
export { HEADER_SIZE, inspectHeader, stampBatch, type BatchHeader } from './batch-layout.ts';
export { BatchView } from './batch-view.ts';
export { MAX_KEY_BYTES, MAX_RECORD_BYTES, MAX_STORE_KEY_BYTES } from './limits.ts';

/** A view of a batch with matching checksums; otherwise throws `STOPLOG_LOG_CORRUPT`. Copies nothing. */
export const openBatch = (bytes: Uint8Array): BatchView => {
  const header = inspectHeader(bytes);
  verifyBody(bytes, header);
  return new BatchView(bytes, header);
};

/**
 * Opens a batch of another writer and walks it whole: every record is inside the body, and the header matches the records.
 */
export const checkBatchShape = (bytes: Uint8Array): BatchView => {
  const view = openBatch(bytes);
  let first = true;
  let maxTimestamp = -Infinity;
  while (view.next()) {
    if (view.keyEnd - view.keyStart > MAX_KEY_BYTES) throw corrupt('a key is over the limit', view.baseOffset);
    if (first && view.timestamp !== view.baseTimestamp) throw corrupt('its base timestamp is not that of its first record', view.baseOffset);
    first = false;
    maxTimestamp = Math.max(maxTimestamp, view.timestamp);
  }
  if (maxTimestamp !== view.maxTimestamp) throw corrupt('its largest timestamp is not that of its records', view.baseOffset);
  view.rewind();
  return view;
};
