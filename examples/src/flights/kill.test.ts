import { Chance } from '@stoplog/runtime/testing';
import { expect, test } from 'vitest';
import { Demo, resultsIn, withFolder } from './fixtures/demo.ts';
import { expectedOf, expectSame } from './fixtures/expected.ts';

const FLIGHTS = 3_000_000;
/** The progress at which each run is killed, after up to that many ms more. */
const MOMENTS = [
  { after: /load flights +10 %/, within: 1_500 },
  { after: /load flights +[5-9]0 %/, within: 1_500 },
  { after: /load flights +100 %/, within: 1_000 },
  { after: /count by airport/, within: 500 },
  { after: /count by route/, within: 500 },
];

test('all three million flights are counted right after kill -9, five times, at any moment of loading and counting', async () => {
  const seed = Number(process.env['SEED'] ?? Date.now() % 2 ** 31);
  const chance = new Chance(seed);
  const reported: string[] = [];
  await withFolder(async (folder) => {
    for (const { after, within } of MOMENTS) {
      const incarnation = new Demo(folder);
      await incarnation.says(after);
      // The moment of the kill is the subject here, not a fact to wait for.
      await new Promise((resolve) => setTimeout(resolve, chance.next() * within));
      incarnation.kill('SIGKILL');
      reported.push((await incarnation.endsWith('SIGKILL')).trimEnd().split('\n').at(-1) ?? '');
    }
    const output = await new Demo(folder).endsWith(0);
    console.log(`SEED=${seed}, killed at:\n  ${reported.join('\n  ')}\n${output.slice(output.indexOf('Throughput'), output.indexOf('The data'))}`);

    const results = await resultsIn(folder);
    expect(results).toMatchObject({ flights: FLIGHTS, flightsByRoute: FLIGHTS });
    expectSame(results, await expectedOf(FLIGHTS));
    expectSame(results.topics, results);
  });
}, 400_000);
