/** Durations in people's notation. */
import { StoplogError } from '@stoplog/core';
import { oneLine, secondsText } from '@stoplog/runtime/kit';

/** The time until a lag is gone: `in 40m`, `never`. */
export const drainText = (seconds: number | undefined): string => (seconds === undefined ? 'never' : `in ${secondsText(seconds)}`);

/** Parses `90s`, `15m`, `2h`, `7d`, `500ms`, and ISO 8601 such as `PT15M` and `P7DT12H`, into milliseconds. */
export const durationIn = (text: string, option: string): number => {
  const [, count, unit] = /^(\d+(?:\.\d+)?)(ms|s|m|h|d)$/.exec(text) ?? [];
  const one = count === undefined || unit === undefined ? undefined : Math.round(Number(count) * UNITS[unit]!);
  const [, days = '0', hours = '0', minutes = '0', seconds = '0'] = /^P(?=.)(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+(?:\.\d+)?)S)?)?$/.exec(text) ?? [
    undefined,
    'x',
  ];
  const ms = one ?? Number(days) * UNITS['d']! + Number(hours) * UNITS['h']! + Number(minutes) * UNITS['m']! + Math.round(Number(seconds) * 1_000);
  if (Number.isSafeInteger(ms)) return ms;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { [option]: text },
    `--${option} '${oneLine(text)}' is no duration: write 90s, 15m, 2h or 7d, or PT15M as ISO 8601 has it`,
  );
};
const UNITS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
