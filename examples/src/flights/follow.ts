/**
 * Follows the pipeline until every flight has gone through both of its tasks.
 *
 * `app.status` reports once a second the lag of each task on its inputs. Every flight that a task has not read yet will also
 * come to the tasks after it, so their progress is all flights without the lags up to there.
 */
import type { App } from '@stoplog/runtime';
import type { Progress, Rate, Stage } from './progress.ts';
import { flights } from './topics.ts';

interface Followed {
  readonly stage: Stage;
  readonly first: number;
  readonly startedAt: number;
  /** As of the last report in which the task was behind. */
  busy: Rate;
}

/** Resolves with the rates of the tasks when the app has settled. */
export const follow = async (app: App, progress: Progress, total: number): Promise<ReadonlyMap<string, Rate>> => {
  const tasks = new Map<string, Followed>();
  const watching = app.status.subscribe((status) => {
    let behind = 0;
    for (const { inputs, lag } of status.tasks) {
      behind += lag;
      const done = Math.max(0, total - behind);
      const name = inputs.includes(flights.name) ? 'count by airport' : 'count by route';
      const task = tasks.get(name);
      if (task !== undefined) {
        if (behind > 0) task.busy = { records: done - task.first, ms: performance.now() - task.startedAt };
        task.stage.at(done);
      } else if (behind > 0)
        tasks.set(name, { stage: progress.stage(name, total, done), first: done, startedAt: performance.now(), busy: { records: 0, ms: 0 } });
    }
  });
  try {
    await app.settled();
  } finally {
    watching.unsubscribe();
  }
  const ended = performance.now();
  return new Map(
    [...tasks].map(([name, { stage, first, startedAt, busy }]) => {
      stage.end();
      const records = total - first;
      const ms = ended - startedAt;
      // The task caught up between two reports, at its earlier speed.
      return [name, { records, ms: busy.records === 0 ? ms : Math.min(ms, (busy.ms * records) / busy.records) }];
    }),
  );
};
