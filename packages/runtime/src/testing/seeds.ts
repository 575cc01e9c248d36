/**
 * The seeds of a test: 0 and up; or the one that `STOPLOG_SEED` names, so that a failure comes again alone.
 */
export const seeds = (count: number): readonly number[] => {
  const only = process.env['STOPLOG_SEED'];
  return only === undefined || only === '' ? Array.from({ length: count }, (_, seed) => seed) : [Number(only)];
};
