/** Counts, durations and sizes for people. */
import prettyBytes from 'pretty-bytes';
import prettyMs from 'pretty-ms';

/** `48 102` */
export const grouped = (count: number): string => String(Math.round(count)).replace(/\B(?=(\d{3})+$)/g, ' ');

/** `850ms`, `3.2s`, `4m 10s`, `2h 5m`, `3d 4h` */
export const secondsText = (seconds: number): string =>
  prettyMs(seconds < 59.95 ? Math.round(1000 * seconds) : 1000 * Math.round(seconds), { unitCount: 2, hideYear: true });

/** Every unit of a configured duration: `7d 1m`, `1s 500ms`, `0ms`. */
export const exactDurationText = (ms: number): string => prettyMs(ms, { hideYear: true, separateMilliseconds: true });

/** `812 B`, `4.2 MB`; `64 MiB` where the size is a whole number of binary units. */
export const sizeText = (bytes: number): string => prettyBytes(bytes, { binary: isBinary(bytes) });

const isBinary = (bytes: number): boolean => bytes >= 1024 && bytes % 1024 ** Math.floor(Math.log2(bytes) / 10) === 0;
