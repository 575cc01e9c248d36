/**
 * Writes records to an HTTP endpoint: the keys of a batch several at a time, the records of a key one after the other.
 *
 * The position is kept in the log's commit, so a batch may come again; the version or the key of each request lets the target leave out
 * what it has. A request that fails is sent again a few times; then the batch fails, and its partition waits.
 */
import { setTimeout as after } from 'node:timers/promises';
import { StoplogError } from '@stoplog/core';
import { asError, canonicalJson } from '@stoplog/core/kit';
import type { SinkBatch, SinkRecord, SinkStart, SinkWriter } from '@stoplog/core/port';
import { backoffMs, judge, type Verdict } from './pure/answer.ts';
import { hasVersion, versionOf } from './pure/version.ts';
import type { Endpoint, Refusal } from './endpoint.ts';

/** Requests of a record, before its batch fails; waits that the target asked for do not count. */
const ATTEMPTS = 4;
/** Characters of a refusal's body in its error. */
const SHOWN = 200;

interface Response {
  readonly status: number;
  readonly headers: { get(name: string): string | null };
  readonly body: string;
}
interface Request {
  readonly url: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string | Uint8Array | undefined;
}

export class HttpWriter implements SinkWriter {
  readonly #endpoint: Endpoint;
  readonly #start: SinkStart;

  constructor(endpoint: Endpoint, start: SinkStart) {
    this.#endpoint = endpoint;
    this.#start = start;
  }
  async recover(): Promise<undefined> {
    return undefined;
  }
  async write({ records }: SinkBatch, signal: AbortSignal): Promise<void> {
    signal.throwIfAborted();
    const queue = this.#byKey(records);
    const failing = new AbortController();
    const ending = AbortSignal.any([signal, failing.signal]);
    const work = async (): Promise<void> => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) for (const record of next) await this.#deliver(record, ending);
    };
    const workers = Array.from({ length: Math.min(this.#endpoint.concurrency, queue.length) }, () =>
      work().catch((error: unknown) => {
        // The first error ends the others, and no request is under way when the write has failed.
        if (!failing.signal.aborted) failing.abort(error);
      }),
    );
    await Promise.all(workers);
    if (failing.signal.aborted) throw failing.signal.reason;
  }
  async [Symbol.asyncDispose](): Promise<void> {}

  /** With versions only the latest record of a key is written; with keys of idempotency, each is. */
  #byKey(records: readonly SinkRecord[]): (readonly SinkRecord[])[] {
    const groups = new Map<string, SinkRecord[]>();
    for (const record of records) {
      const key = canonicalJson(record.key);
      const group = groups.get(key);
      if (group === undefined || this.#endpoint.versioning === 'if-match') groups.set(key, [record]);
      else group.push(record);
    }
    return [...groups.values()];
  }
  async #deliver(record: SinkRecord, signal: AbortSignal): Promise<void> {
    const request = this.#requestOf(record);
    if (this.#endpoint.versioning === 'if-match') return this.#compareAndWrite(record, request, signal);
    const key = `"${this.#start.group}/${this.#endpoint.sink}/${versionOf(this.#start, record)}"`;
    await this.#send(record, { ...request, headers: { ...request.headers, 'idempotency-key': key } }, signal);
  }
  /** Reads the version that the target has, and writes on the condition that it is still there. */
  async #compareAndWrite(record: SinkRecord, request: Request, signal: AbortSignal): Promise<void> {
    const version = request.headers['stoplog-version']!;
    for (let attempt = 0; ; attempt++) {
      const { 'content-type': _, ...headers } = request.headers;
      const found = await this.#send(record, { url: request.url, method: 'HEAD', headers }, signal);
      if (found === undefined) return;
      const isThere = found.status < 300;
      const tag = found.headers.get('etag');
      if (hasVersion(found.headers.get('stoplog-version') ?? tag, version)) return;
      if (isThere && tag === null) return this.#refused(record, found, `has no ETag in its answer to HEAD ${request.url}, which If-Match needs`);
      const condition = isThere ? { 'if-match': tag! } : { 'if-none-match': '*' };
      const written = await this.#send(record, { ...request, headers: { ...request.headers, ...condition } }, signal);
      if (written !== 'compare') return;
      if (attempt + 1 >= ATTEMPTS) throw this.#error(record, `changed its version ${ATTEMPTS} times between HEAD and ${request.method} ${request.url}`);
      await after(backoffMs(attempt), undefined, { signal });
    }
  }
  #requestOf(record: SinkRecord): Request {
    const { url, method, headers, body } = this.#endpoint;
    const verb = method(record);
    const content = verb === 'DELETE' ? undefined : body(record);
    return {
      url: String(url(record)),
      method: verb,
      headers: {
        ...(content === undefined ? {} : { 'content-type': 'application/json' }),
        ...lowerCased(headers(record)),
        'stoplog-version': versionOf(this.#start, record),
      },
      body: content,
    };
  }
  async #send(record: SinkRecord, request: Request & { readonly method: 'HEAD' }, signal: AbortSignal): Promise<Response | undefined>;
  async #send(record: SinkRecord, request: Request, signal: AbortSignal): Promise<'compare' | undefined>;
  async #send(record: SinkRecord, request: Request, signal: AbortSignal): Promise<Response | 'compare' | undefined> {
    for (let attempt = 0; ;) {
      const response = await this.#request(request, signal).catch((error: unknown) => asError(error));
      signal.throwIfAborted();
      const verdict = this.#judge(response, request.method, attempt);
      if (verdict.type === 'compare') return 'compare';
      if (verdict.type === 'written') return request.method === 'HEAD' && !(response instanceof Error) ? response : undefined;
      if (verdict.type === 'refused' && !(response instanceof Error))
        return this.#refused(record, response, `answered ${request.method} ${request.url} with ${response.status}${textOf(response)}`);
      const { afterMs, isAsked } = verdict.type === 'again' ? verdict : { afterMs: backoffMs(attempt), isAsked: false };
      if (!isAsked && ++attempt >= ATTEMPTS) {
        const why =
          response instanceof Error
            ? `did not answer ${request.method} ${request.url}: ${causeOf(response)}`
            : `answered ${request.method} ${request.url} with ${response.status}${textOf(response)}`;
        throw this.#error(record, why, response instanceof Error ? response : undefined);
      }
      await after(afterMs, undefined, { signal });
    }
  }
  #judge(response: Response | Error, method: string, attempt: number): Verdict {
    if (response instanceof Error) return { type: 'again', afterMs: backoffMs(attempt), isAsked: false };
    const { status, headers } = response;
    // A key that is not there is an answer to the question for its version.
    if (method === 'HEAD' && (status === 404 || status === 410)) return { type: 'written' };
    return judge({ status, retryAfter: headers.get('retry-after') }, this.#endpoint.versioning, method, attempt, Date.now());
  }
  async #request({ url, method, headers, body }: Request, signal: AbortSignal): Promise<Response> {
    const limited = AbortSignal.any([signal, AbortSignal.timeout(this.#endpoint.timeoutMs)]);
    // A redirect would turn some methods into GET, so it is refused instead.
    const response = await fetch(url, { method, headers, redirect: 'manual', signal: limited, ...(body === undefined ? {} : { body }) });
    // Read to its end, so that the connection is used again.
    return { status: response.status, headers: response.headers, body: await response.text() };
  }
  #refused(record: SinkRecord, { status, body }: Response, why: string): undefined {
    const refusal: Refusal = { record, status, body };
    if (this.#endpoint.refused?.(refusal) === 'skip') return undefined;
    throw this.#error(record, `${why}. The partition waits: mend the request, or skip such records by 'refused'`);
  }
  #error({ offset }: SinkRecord, why: string, cause?: Error): StoplogError {
    const { sink } = this.#endpoint;
    const { topic, partition } = this.#start;
    return new StoplogError(
      'STOPLOG_SINK',
      { sink, topic, partition, offset, cause: why },
      `sink '${sink}' cannot write ${topic}[${partition}]@${offset}: the target ${why}`,
      { cause },
    );
  }
}

const textOf = ({ body }: Response): string => (body === '' ? '' : ` (${body.length > SHOWN ? `${body.slice(0, SHOWN)}…` : body})`);
const lowerCased = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
  Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
/** `fetch failed` says nothing; its cause does. */
const causeOf = (error: Error): string => (error.cause instanceof Error ? error.cause.message || error.cause.name : error.message);
