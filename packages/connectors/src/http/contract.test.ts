/** The promises that the HTTP sink keeps, by its two kinds of versions, on a real server. */
import { sinkContract, type SinkUnderTest, type SinkValue } from '@stoplog/core/testing/contract';
import { HttpTarget } from './fixtures/target.ts';
import { httpSink, type HttpSink } from './index.ts';

const openWith = (version: HttpSink<string, SinkValue>['version']) => async (): Promise<SinkUnderTest> => {
  const target = await HttpTarget.start();
  const sink = httpSink<string, SinkValue>('letters', { url: ({ key }) => `${target.url}/letters/${encodeURIComponent(key)}`, version });
  return {
    open: sink.open,
    // The values are those that the suite wrote.
    read: async () => target.values() as ReadonlyMap<string, SinkValue>,
    crash: async () => {
      let isGone = false;
      target.fault = ({ method }) => {
        if (isGone) return 'drop before';
        isGone = method !== 'HEAD';
        return isGone ? 'drop after' : undefined;
      };
      return async () => void (target.fault = () => undefined);
    },
    dispose: () => target[Symbol.asyncDispose](),
  };
};
const BESIDE = {
  'position: ': 'the position is kept in the commit of the log',
  'together: ': 'each record is a request of its own',
  'owners: ': 'a request has no owner; an older record is left out by its version',
};

sinkContract('an endpoint with versions', openWith('if-match'), BESIDE);
sinkContract('an endpoint with keys of idempotency', openWith('idempotency-key'), {
  ...BESIDE,
  'order: ': 'a key tells that a request is known, and not which of two is newer',
  'tombstones: ': 'a key tells that a request is known, and not which of two is newer',
  'replay: ': 'the records of another group have other keys',
});
