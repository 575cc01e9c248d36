/** Suggestions for a word that is no choice: the choice that the word begins, or the nearest one, if it is few edits away. */
import { closestMatch } from 'leven';

/** ` Did you mean 'tail'?`, or nothing. */
export const suggestion = (word: string, choices: readonly string[]): string => {
  const meant = nearest(word, choices);
  return meant === undefined ? '' : ` Did you mean '${meant}'?`;
};

export const nearest = (word: string, choices: readonly string[]): string | undefined =>
  choices.find((choice) => word.length > 1 && choice.startsWith(word)) ?? closestMatch(word, choices, { maxDistance: editsIn(word) });

/** Two letters that have changed places are two edits, which a word of three letters may have. */
const editsIn = (word: string): number => Math.ceil((word.length + 1) / 3);
