/**
 * A time in people's notation: `2026-01-02`, `2026-01-02T03:04:05Z`. A date alone is midnight in UTC, a time without a zone is
 * local, as in ISO 8601 and JavaScript.
 *
 * `Date.parse` alone is too lenient: it turns the 30th of February into the 2nd of March.
 */
const FORM = /^((?:\d{4}|[+-]\d{6})-\d\d-(\d\d))(?:[T ](\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?))?$/;

/** Milliseconds since 1970; undefined when the text is no time. */
export const timeOf = (text: string): number | undefined => {
  const [, date, day, time] = FORM.exec(text) ?? [];
  if (date === undefined) return undefined;
  const midnight = Date.parse(date);
  if (!Number.isFinite(midnight) || new Date(midnight).getUTCDate() !== Number(day)) return undefined;
  const ms = time === undefined ? midnight : Date.parse(`${date}T${time}`);
  return Number.isFinite(ms) ? ms : undefined;
};
