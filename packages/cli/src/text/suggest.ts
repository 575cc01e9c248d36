/** Finds what was probably meant: the choice that is fewest edits away, if they are few. */

/** ` Did you mean 'tail'?`, or nothing. */
export const suggestion = (word: string, choices: readonly string[]): string => {
  const meant = nearest(word, choices);
  return meant === undefined ? '' : ` Did you mean '${meant}'?`;
};

export const nearest = (word: string, choices: readonly string[]): string | undefined => {
  const limit = Math.max(1, Math.floor(word.length / 3));
  let best: { readonly choice: string; readonly edits: number } | undefined;
  for (const choice of choices) {
    const edits = choice.startsWith(word) && word.length > 1 ? 1 : editsBetween(word, choice);
    if (edits <= limit && (best === undefined || edits < best.edits)) best = { choice, edits };
  }
  return best?.choice;
};

/** Letters inserted, left out, exchanged, or two neighbours swapped. */
const editsBetween = (a: string, b: string): number => {
  const rows = Array.from({ length: a.length + 1 }, (_, i) => Array.from({ length: b.length + 1 }, (_, j) => (i === 0 ? j : j === 0 ? i : 0)));
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1];
      let edits = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + (same ? 0 : 1));
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1]) edits = Math.min(edits, rows[i - 2]![j - 2]! + 1);
      rows[i]![j] = edits;
    }
  }
  return rows[a.length]![b.length]!;
};
