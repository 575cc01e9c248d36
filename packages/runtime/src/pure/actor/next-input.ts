/**
 * Chooses the next record among a task's inputs: the one whose head has the lowest timestamp.
 *
 * So a join sees the table as it was when the record happened, as far as both are in the log already, and a merge is in order of time.
 * Within a partition the order is never changed: an old record behind a new one waits for it.
 */

/** The index of the lowest timestamp, the first one where several are as low; -1 when no input has a record. */
export const nextInput = (heads: readonly (number | undefined)[]): number => {
  let next = -1;
  let lowest = Infinity;
  for (let i = 0; i < heads.length; i++) {
    const head = heads[i];
    // Timestamps are finite, so the first head found is below Infinity.
    if (head !== undefined && head < lowest) {
      lowest = head;
      next = i;
    }
  }
  return next;
};
