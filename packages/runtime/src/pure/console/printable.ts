/**
 * Data may contain characters that control a terminal: control characters, and marks that change the direction of text. They are printed
 * in their JSON form instead.
 */
const STEERING = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/g;
const STEERING_OR_LINE = new RegExp(`\n|${STEERING.source}`, 'g');

/** Escapes text of several lines; keeps the line breaks. */
export const printable = (text: string): string => text.replace(STEERING, escaped);
/** Escapes text that must stay on one line. */
export const oneLine = (text: string): string => text.replace(STEERING_OR_LINE, escaped);

const SHORT: Readonly<Record<string, string>> = { '\n': '\\n', '\r': '\\r', '\t': '\\t' };
const escaped = (char: string): string => SHORT[char] ?? `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`;
