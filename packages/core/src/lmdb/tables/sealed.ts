/** The values of all tables but the batches: sealed when put, checked when read. */
import { seal, unseal, type Table } from '../layout/keyspace.ts';
import { failpoint } from '../../failpoints/failpoint.ts';
import { peek, type Env } from './env.ts';

/** The sealed value of a key, opened; undefined when absent. */
export const read = (env: Env, table: Table, key: Buffer): Uint8Array | undefined => {
  const sealed = peek(env.tables[table], key);
  return sealed === undefined ? undefined : unseal(table, key, sealed);
};
export const put = (env: Env, table: Table, key: Buffer, value: Uint8Array): void => {
  putRaw(env, table, key, seal(key, value));
};
export const putRaw = (env: Env, table: Table, key: Buffer, value: Buffer): void => {
  failpoint('storage.put');
  // The type says void; the library returns false for an entry that it did not store.
  const accepted: unknown = env.tables[table].putSync(key, value);
  if (accepted !== true) throw new Error(`a put into '${table}' was not accepted`);
};
