/** Counts, durations and sizes as people read them. */

/** `48 102` */
export const grouped = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ' ');

/** `850 ms`, `3.2 s`, `4 min 10 s`, `2 h 5 min`, `3 d 4 h` */
export const secondsText = (seconds: number): string => {
  // What would be rounded to the next unit is of that one.
  if (seconds < 0.9995) return `${Math.round(seconds * 1000)} ms`;
  if (seconds < 59.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  for (const [size, unit, small, smallUnit] of PAIRS)
    if (whole >= size) return both(Math.floor(whole / size), unit, Math.floor((whole % size) / small), smallUnit);
  return `${whole} s`;
};
const PAIRS = [
  [86_400, 'd', 3_600, 'h'],
  [3_600, 'h', 60, 'min'],
  [60, 'min', 1, 's'],
] as const;
const both = (large: number, unit: string, small: number, smallUnit: string): string =>
  small === 0 ? `${large} ${unit}` : `${large} ${unit} ${small} ${smallUnit}`;

/** `812 B`, `4.2 MB`, `64 MiB` where it is that exactly. */
export const sizeText = (bytes: number): string => {
  for (const [unit, size] of [...BINARY].reverse()) if (bytes >= size && bytes < 1024 * size && bytes % size === 0) return `${bytes / size} ${unit}`;
  for (const [unit, size] of [...DECIMAL].reverse()) if (bytes >= size) return `${(bytes / size).toFixed(bytes < 10 * size ? 1 : 0)} ${unit}`;
  return `${bytes} B`;
};
const DECIMAL = [
  ['kB', 1e3],
  ['MB', 1e6],
  ['GB', 1e9],
  ['TB', 1e12],
] as const;
const BINARY = [
  ['KiB', 2 ** 10],
  ['MiB', 2 ** 20],
  ['GiB', 2 ** 30],
  ['TiB', 2 ** 40],
] as const;
