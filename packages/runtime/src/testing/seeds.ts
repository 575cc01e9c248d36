/**
 * The seeds of a test: 0 and up; or only the seed in `STOPLOG_SEED`, to repeat a failure.
 *
 * @example
 * test.each(seeds(20))('the shop survives crashes, seed %i', (seed) => void simulate(shop, { seed, inputs }));
 */
export const seeds = (count: number): readonly number[] => {
  const only = process.env['STOPLOG_SEED'];
  return only === undefined || only === '' ? Array.from({ length: count }, (_, seed) => seed) : [Number(only)];
};
