/**
 * Turns an actor until it is done. The idiom is three operators long: ask for one round, and when it is over, for the next.
 *
 * Nothing is buffered because nothing is pushed: the next batch is fetched when this one has been stepped through, and
 * stepped through when there is a credit for its commit.
 */
import { defer } from 'rxjs/internal/observable/defer';
import { lastValueFrom } from 'rxjs/internal/lastValueFrom';
import { repeat } from 'rxjs/internal/operators/repeat';
import { takeWhile } from 'rxjs/internal/operators/takeWhile';

export const pump = async (turn: () => Promise<boolean>): Promise<void> => {
  await lastValueFrom(
    defer(turn).pipe(
      repeat(),
      takeWhile((goesOn) => goesOn, true),
    ),
  );
};
