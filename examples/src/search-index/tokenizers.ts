/** How texts, and questions, are cut into words. */
import type { Tokenizer } from './index-of.ts';

/** The one that was shipped: it cuts at spaces, so that nobody finds O'Hare by "ohare", nor Chicago by "chicago". */
export const atSpaces: Tokenizer = (text) => text.split(' ');

/** The one that is right: letters and digits of any script, in lower case; an apostrophe is no end of a word. */
export const byLetters: Tokenizer = (text) =>
  text
    .toLowerCase()
    .replaceAll("'", '')
    .match(/[\p{L}\p{N}]+/gu) ?? [];
