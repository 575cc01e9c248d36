/** The environment of the floors: two tables, with our page size and our kind of transaction. */
import { open, type Database } from 'lmdb';

export interface HandEnv {
  /** partition u16, offset u32 → batch */
  readonly log: Database<Buffer, Buffer>;
  /** partition u16, key → value and its checksum; a key of no bytes is the position */
  readonly state: Database<Buffer, Buffer>;
  /** Drops the snapshot, so that the next read sees the commits made since. */
  readonly refresh: () => void;
  readonly transaction: (work: () => void) => void;
  readonly close: () => Promise<void>;
}

/** A flush after the lock is released, finished before the call returns. */
const FLAGS: number = 0x10002;

export const openHandEnv = (path: string, readOnly: boolean): HandEnv => {
  const common = { keyEncoding: 'binary', encoding: 'binary' } as const;
  const root = open<Buffer, Buffer>({ path, mapSize: 2 ** 40, pageSize: 8192, maxDbs: 4, noSubdir: false, readOnly, ...common });
  return {
    log: root.openDB<Buffer, Buffer>({ name: 'log', ...common }),
    state: root.openDB<Buffer, Buffer>({ name: 'state', ...common }),
    refresh: () => root.resetReadTxn(),
    transaction: (work) => root.transactionSync(work, FLAGS),
    close: () => root.close(),
  };
};

export const logKey = (partition: number, offset: number): Buffer => {
  const key = Buffer.allocUnsafe(6);
  key.writeUInt16BE(partition, 0);
  key.writeUInt32BE(offset, 2);
  return key;
};
export const stateKey = (partition: number, key: Uint8Array): Buffer => {
  const full = Buffer.allocUnsafe(2 + key.length);
  full.writeUInt16BE(partition, 0);
  full.set(key, 2);
  return full;
};

/** The bytes of a key, valid until the next read; undefined when absent. */
export const peek = (table: Database<Buffer, Buffer>, key: Buffer): Buffer | undefined => {
  const found = table.getBinaryFast(key);
  return found?.subarray(0, found.length);
};
