/**
 * Loaded before a program (`--import`), in each of its threads: the wall clock jumps. An hour back, a day forward, to 1970,
 * to a standstill, and it runs fast or slow, each for some fifty milliseconds, then another. `performance.now` goes on.
 */
const RealDate = Date;
const real = RealDate.now.bind(RealDate);
const HOUR = 3_600_000;
const faces: readonly ((now: number) => number)[] = [
  (now) => now - HOUR,
  (now) => now + 24 * HOUR,
  (now) => now % 50, // 1970
  () => 1_700_000_000_000, // a standstill
  (now) => now + (now % 100_000) * 0.05, // drift
  (now) => now - (now % 100_000) * 0.05,
  (now) => now + HOUR, // daylight saving
];
Date.now = () => {
  const now = real();
  return Math.floor(faces[Math.floor(now / 50) % faces.length]!(now));
};
export {};
