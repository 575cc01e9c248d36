/** The cost of an unarmed failpoint: a loop with a failpoint against the same loop without it, in nanoseconds for each. */
import { failpoint } from '@stoplog/core/private/failpoints';

const TURNS = 20_000_000;
const timed = (work: () => number): number => {
  const since = performance.now();
  if (work() < 0) throw new Error('a sum of positive numbers is not negative');
  return performance.now() - since;
};
const bare = (): number => {
  let sum = 0;
  for (let i = 0; i < TURNS; i++) sum = (sum + i) & 0xffff;
  return sum;
};
const struck = (): number => {
  let sum = 0;
  for (let i = 0; i < TURNS; i++) {
    failpoint('process.before');
    sum = (sum + i) & 0xffff;
  }
  return sum;
};

/** The least of several pairs: other work on the machine makes both slower, never faster. */
export const failpointCost = (): number => {
  const pairs = Array.from({ length: 7 }, () => [timed(bare), timed(struck)] as const);
  return (Math.max(0, Math.min(...pairs.map(([, on]) => on)) - Math.min(...pairs.map(([off]) => off))) / TURNS) * 1e6;
};
