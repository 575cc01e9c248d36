/** Sizes in people's notation. */
import { StoplogError } from '@stoplog/core';
import { grouped, oneLine, sizeText } from '@stoplog/runtime/kit';

/** The text of a size that was set: as `sizeText` if that is exact, else in bytes. */
export const exactSizeText = (bytes: number): string => {
  const text = sizeText(bytes);
  return sizeIn(text, 'size') === bytes ? text : `${grouped(bytes)} B`;
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
const UNITS: ReadonlyMap<string, number> = new Map([['b', 1], ...[...DECIMAL, ...BINARY].map(([unit, size]) => [unit.toLowerCase(), size] as const)]);

/** Parses `1000000`, `64MiB`, `10 GB` into bytes. */
export const sizeIn = (text: string, option: string): number => {
  const [, count, unit = 'b'] = /^(\d+(?:\.\d+)?) ?([kmgt]?i?b)?$/i.exec(text) ?? [];
  const size = UNITS.get(unit.toLowerCase());
  const bytes = count === undefined || size === undefined ? Number.NaN : Math.round(Number(count) * size);
  if (Number.isSafeInteger(bytes)) return bytes;
  throw new StoplogError('STOPLOG_USAGE', { [option]: text }, `--${option} '${oneLine(text)}' is no size: write bytes, or 64MiB, or 10GB`);
};
