/** An HTTP endpoint as a sink: a request for each record, with its version or with a key of idempotency. */
import { StoplogError, type Sink } from '@stoplog/core';
import { checkName, checkSettings } from '@stoplog/core/kit';
import type { SinkRecord, SinkStart } from '@stoplog/core/port';
import type { Endpoint, Refusal } from './endpoint.ts';
import { HttpWriter } from './http-writer.ts';
import type { Versioning } from './pure/answer.ts';

/** A record as the functions of an HTTP sink get it. The value of a tombstone is null. */
export interface HttpRecord<K, V> extends SinkRecord {
  readonly key: K;
  readonly value: V;
}
export interface HttpSink<K, V> {
  /** The address of a record. */
  readonly url: (record: HttpRecord<K, V | null>) => string | URL;
  /** DELETE for a tombstone and PUT for a value by default. */
  readonly method?: string | ((record: HttpRecord<K, V | null>) => string);
  readonly headers?: Readonly<Record<string, string>> | ((record: HttpRecord<K, V | null>) => Readonly<Record<string, string>>);
  /** The value as JSON by default. DELETE has no body. */
  readonly body?: (record: HttpRecord<K, V | null>) => string | Uint8Array | undefined;
  /**
   * How the target knows a record that it has. 'if-match': the sink reads the version there (HEAD) and writes on the condition that it is still
   * the same, so an older record never replaces a newer one. 'idempotency-key': each request has a key, which is the same when it is repeated.
   */
  readonly version: Versioning;
  /** The number of keys that are written at the same time, for each partition; 8 by default. */
  readonly concurrency?: number;
  /** How long a request may take, in ms; 30,000 by default. */
  readonly timeoutMs?: number;
  /** Decides about a record that the target refuses for good, such as with 400: 'skip' leaves it out; by default its partition waits. */
  readonly refused?: (refusal: Refusal) => 'skip' | 'fail';
}
/**
 * A sink that sends each record to an HTTP endpoint, by the global `fetch`.
 *
 * The position is kept in the log, so a record may be sent again after a crash. With `version: 'if-match'` the target has the
 * latest value of each key all the same; with 'idempotency-key' it has each record once if it knows the keys that it has seen.
 *
 * @example
 * const stock = httpSink<string, z.infer<typeof Order>>('stock', {
 *   url: ({ key }) => `https://stock.example.com/orders/${encodeURIComponent(key)}`,
 *   headers: { authorization: `Bearer ${process.env['STOCK_TOKEN']}` },
 *   version: 'if-match',
 * });
 * const toStock = pipeline('orders-to-stock', stream(orders).to(stock));
 */
export const httpSink = <K, V>(name: string, spec: HttpSink<K, V>): Sink<K, V> => {
  checkName('sink', name);
  checkSettings(`sink '${name}'`, spec, {
    url: true,
    method: true,
    headers: true,
    body: true,
    version: true,
    concurrency: true,
    timeoutMs: true,
    refused: true,
  });
  const { url, method = byValue, headers = {}, body = asJson, version, concurrency = 8, timeoutMs = 30_000, refused } = spec;
  const check = (setting: string, fine: boolean, remedy: string): void => {
    if (!fine) throw new StoplogError('STOPLOG_USAGE', { sink: name, setting }, `the ${setting} of sink '${name}' cannot be used: ${remedy}`);
  };
  const isCount = (value: unknown): boolean => Number.isSafeInteger(value) && Number(value) >= 1;
  check('url', typeof url === 'function', 'give a function of the record, such as ({ key }) => `https://…/${encodeURIComponent(key)}`');
  check('version', version === 'if-match' || version === 'idempotency-key', "say 'if-match' or 'idempotency-key'");
  check('concurrency', isCount(concurrency), 'give the number of requests at the same time, such as 8');
  check('timeoutMs', isCount(timeoutMs), 'give milliseconds, such as 30_000');
  const endpoint = {
    sink: name,
    versioning: version,
    concurrency,
    timeoutMs,
    url,
    method: typeof method === 'function' ? method : () => method,
    headers: typeof headers === 'function' ? headers : () => headers,
    body,
    refused,
    // The declared types of a sink are the types that its pipeline writes.
  } as Endpoint;
  return Object.freeze({ kind: 'sink' as const, name, open: (start: SinkStart) => Promise.resolve(new HttpWriter(endpoint, start)) });
};

const byValue = ({ value }: SinkRecord): string => (value === null || value === undefined ? 'DELETE' : 'PUT');
const asJson = ({ value }: SinkRecord): string | undefined => JSON.stringify(value);
