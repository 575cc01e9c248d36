import { expect, test } from 'vitest';
import { Demo, resultsIn, withFolder } from './fixtures/demo.ts';
import { expectedOf, expectSame } from './fixtures/expected.ts';

const FLIGHTS = 300_000;

test('an example interrupted by Ctrl-C while it loads and while it counts gives, when run again, the results computed straight from the file', async () => {
  await withFolder(async (folder) => {
    for (const moment of [/load flights +[3-9]0 %/, /count by airport/]) {
      const stopped = new Demo(folder, '--limit', `${FLIGHTS}`);
      await stopped.says(moment);
      stopped.kill('SIGINT');
      expect(await stopped.endsWith(130)).toContain('Run it again to go on from here');
    }
    const output = await new Demo(folder, '--limit', `${FLIGHTS}`).endsWith(0);
    expect(output).toContain('The 10 worst of');
    expect(output).not.toContain('load flights');

    const results = await resultsIn(folder);
    expectSame(results, await expectedOf(FLIGHTS));
    expectSame(results.topics, results);
    expect(results).toMatchObject({ flights: FLIGHTS, flightsByRoute: FLIGHTS });
  });
}, 200_000);

test('a second run only reports when all is done, and continues with a larger limit', async () => {
  await withFolder(async (folder) => {
    const first = await new Demo(folder, '--limit', '20000').endsWith(0);
    const again = await new Demo(folder, '--limit', '20000').endsWith(0);
    expect(again).toContain('Nothing was left to do');
    expect(tablesIn(again)).toBe(tablesIn(first));

    await new Demo(folder, '--limit', '50000').endsWith(0);
    const results = await resultsIn(folder);
    expectSame(results, await expectedOf(50_000));
    expect(results).toMatchObject({ flights: 50_000, flightsByRoute: 50_000 });
  });
}, 120_000);

test('a limit that is not a number is refused with an example', async () => {
  expect(await new Demo('--limit', 'many').endsWith(2)).toContain('such as --limit 100000');
});

const tablesIn = (output: string): string => output.slice(output.indexOf('The 10 worst')).split(/^(?:Throughput|Nothing)/m)[0]!;
