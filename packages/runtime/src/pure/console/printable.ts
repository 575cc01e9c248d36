/**
 * Data may hold what steers a terminal: control characters, and marks that turn text around. They are shown, not obeyed,
 * in the form JSON has for them.
 */
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const STEERING_OR_LINE = new RegExp(`\n|${STEERING.source}`, 'g');

/** Text of several lines. */
export const printable = (text: string): string => text.replace(STEERING, escaped);
/** Text that stays on its line. */
export const oneLine = (text: string): string => text.replace(STEERING_OR_LINE, escaped);

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (char: string): string => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
