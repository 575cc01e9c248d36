/**
 * Loaded before a program by NODE_OPTIONS, and so in each of its threads, also the log's writer, which takes no flag of its
 * process. The wall clock jumps: an hour back, a day forward, to 1970, to a standstill, and it runs fast or slow, each for
 * some fifty milliseconds. `performance.now` is unchanged. Each thread notes in the file CLOCK_NOTES that its clock jumps.
 */
import { appendFileSync } from 'node:fs';
import { threadId } from 'node:worker_threads';

const notes = process.env['CLOCK_NOTES'];
if (notes !== undefined) appendFileSync(notes, `${process.pid} ${threadId}\n`);

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
