/**
 * Serves one reader of a source over a port, in the thread for sources: opens the reader, and pulls, acknowledges, releases and
 * extends arrivals on request.
 *
 * When the port closes, because the actor's thread ended, the reader is disposed of, which returns its leased messages to a queue.
 */
import type { MessagePort } from 'node:worker_threads';
import type { ByteSource, RawArrival, SourceReader } from '@stoplog/core/port';
import { errorToData } from '@stoplog/core/kit';
import { encodeArrivals } from '../../pure/sources/raw-arrivals.ts';
import type { FromReader, ToReader } from '../../pure/sources/reading-messages.ts';

/** Resolves when the reader is closed. */
export const serveReader = (source: ByteSource<unknown, unknown>, port: MessagePort): Promise<void> =>
  new Promise((closed) => {
    let reader: Promise<SourceReader<RawArrival>> | undefined;
    let pull: AbortController | undefined;
    let isClosed = false;
    const say = (message: FromReader, transfer: readonly ArrayBuffer[] = []): void => port.postMessage(message, [...transfer]);
    const failed = (error: unknown, call?: number): void => say({ type: 'failed', call, error: errorToData(error) });
    const opened = (): Promise<SourceReader<RawArrival>> => reader ?? Promise.reject(new Error('invariant broken: a reader is opened before it is asked'));
    const dispose = async (): Promise<void> => {
      isClosed = true;
      pull?.abort();
      const open = await reader?.catch(() => undefined);
      await open?.[Symbol.asyncDispose]();
    };
    const answer = (call: number, work: Promise<void> | undefined): void => {
      Promise.resolve(work).then(
        () => say({ type: 'done', call }),
        (error: unknown) => failed(error, call),
      );
    };
    const handle = (message: ToReader): void => {
      switch (message.type) {
        case 'open':
          reader = source.open(message.start);
          return void reader.then(() => say({ type: 'opened' }), failed);
        case 'pull':
          pull = new AbortController();
          return void pullOnce(message.limit, pull.signal).catch(failed);
        case 'stop':
          return pull?.abort();
        case 'acknowledge':
          return answer(
            message.call,
            opened().then((one) => one.acknowledge(message.items, message.position)),
          );
        case 'release':
          return answer(
            message.call,
            opened().then((one) => one.release?.(message.items, message.afterMs)),
          );
        case 'extend':
          return answer(
            message.call,
            opened().then((one) => one.extend?.(message.items, message.ms)),
          );
        case 'close':
          return answer(message.call, dispose());
      }
    };
    const pullOnce = async (limit: Extract<ToReader, { readonly type: 'pull' }>['limit'], signal: AbortSignal): Promise<void> => {
      const { arrivals, position, ended } = await (await opened()).pull(limit, signal);
      const batch = encodeArrivals(arrivals);
      say({ type: 'arrivals', batch, items: arrivals.map(({ item }) => item), position, ended }, batch === undefined ? [] : [batch.buffer as ArrayBuffer]);
    };
    port.on('message', handle);
    port.on('close', () => {
      if (isClosed) return closed();
      void dispose()
        .catch(() => {})
        .then(closed);
    });
  });
