/** The floor of scan: each batch is copied out of the map, its checksum verified, its records walked in place. */
import { HandBatch, HandCursor, verify } from './floors/hand-batch.ts';
import { logKey, openHandEnv, peek, type HandEnv } from './floors/hand-env.ts';

/** Fills a folder without waiting for each flush, since only the reading is measured. */
export const fillFloor = async (folder: string, count: number, keyOf: (n: number) => string, valueOf: (n: number) => string): Promise<void> => {
  const env = openHandEnv(folder, false);
  const batch = new HandBatch();
  let first = 0;
  env.transaction(() => {
    for (let n = 0; n < count; n++) {
      batch.addText(keyOf(n), valueOf(n), 1_700_000_000_000 + n);
      if (!batch.full && n < count - 1) continue;
      env.log.putSync(logKey(0, first), batch.finish());
      first = n + 1;
    }
  });
  await env.close();
};

export interface FloorScan {
  /** Calls `each` for every batch, opened. */
  readonly batches: (each: (cursor: HandCursor) => number) => void;
  readonly close: () => Promise<void>;
}
export const openFloorScan = (folder: string, count: number): FloorScan => {
  const env: HandEnv = openHandEnv(folder, true);
  return {
    batches: (each) => {
      env.refresh();
      for (let at = 0; at < count;) {
        const found = peek(env.log, logKey(0, at));
        if (found === undefined) throw new Error(`the floor has no batch at ${at}`);
        const copy = Buffer.allocUnsafeSlow(found.length);
        copy.set(found);
        verify(copy);
        at += each(new HandCursor(copy));
      }
    },
    close: () => env.close(),
  };
};
