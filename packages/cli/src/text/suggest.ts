/** Suggestions for an unknown word: the choice that begins with the word, or the nearest one, if it is a few edits away. */
import { closestMatch } from 'leven';

/** ` Did you mean 'tail'?`, or nothing. */
export const suggestion = (word: string, choices: readonly string[]): string => {
  const meant = nearest(word, choices);
  return meant === undefined ? '' : ` Did you mean '${meant}'?`;
};

export const nearest = (word: string, choices: readonly string[]): string | undefined =>
  choices.find((choice) => word.length > 1 && choice.startsWith(word)) ?? closestMatch(word, choices, { maxDistance: editsIn(word) });

/** Two swapped letters are two edits, which are allowed in a word of three letters. */
const editsIn = (word: string): number => Math.ceil((word.length + 1) / 3);
