/**
 * `Promise.withResolvers` for Node 20, which the Kafka client calls and Node has only since 22. Imported before the client.
 */
interface Resolvers {
  readonly promise: Promise<unknown>;
  readonly resolve: (value: unknown) => void;
  readonly reject: (reason: unknown) => void;
}

const withResolvers = (): Resolvers => {
  let resolve!: Resolvers['resolve'];
  let reject!: Resolvers['reject'];
  const promise = new Promise<unknown>((onResolve, onReject) => {
    resolve = onResolve;
    reject = onReject;
  });
  return { promise, resolve, reject };
};

if (!('withResolvers' in Promise)) Object.defineProperty(Promise, 'withResolvers', { value: withResolvers, configurable: true, writable: true });
