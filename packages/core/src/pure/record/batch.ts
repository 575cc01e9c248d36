/**
 * The batch format from outside: build, stamp, open, view. How the bytes lie is drawn in batch-layout.ts.
 *
 * `openBatch` is for what was read from a log: both checksums, then the view checks each record as it comes to it.
 * `checkBatchShape` is for what comes from a stranger: it also walks all records before anything is believed.
 */
import { corrupt, inspectHeader, verifyBody } from './batch-layout.ts';
import { BatchView } from './batch-view.ts';
import { MAX_KEY_BYTES } from './limits.ts';

export { BatchBuilder } from './batch-builder.ts';
export { HEADER_SIZE, inspectHeader, stampBatch, type BatchHeader } from './batch-layout.ts';
export { BatchView } from './batch-view.ts';
export { MAX_KEY_BYTES, MAX_RECORD_BYTES, MAX_STORE_KEY_BYTES } from './limits.ts';

/** A view of a batch whose checksums agree; anything else throws `STOPLOG_LOG_CORRUPT`. Copies nothing. */
export const openBatch = (bytes: Uint8Array): BatchView => {
  const header = inspectHeader(bytes);
  verifyBody(bytes, header);
  return new BatchView(bytes, header);
};

/** Opens a batch made elsewhere and walks it whole: every record lies inside, and the header says the truth about them. */
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
