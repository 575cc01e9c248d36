/** `stoplog groups` and `stoplog topics` as a person or a script runs them. */
import { existsSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type Command, starting, stoplog } from './fixtures/command-line.ts';

const PIPELINE = fileURLToPath(new URL('./fixtures/tickets.pipeline.mjs', import.meta.url));
const ticket = (id: string): string => `${JSON.stringify({ id, state: 'open' })}\n`;
const numbered = (from: number, to: number): string => Array.from({ length: to - from }, (_, i) => ticket(`t${from + i}`)).join('');

const folders: string[] = [];
const newFolder = (): string => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-groups-'));
  folders.push(folder);
  return folder;
};
afterAll(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const append = (folder: string, from: number, to: number): Promise<unknown> =>
  stoplog(folder, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE], numbered(from, to));
/** Runs the pipeline until it has caught up; `stop` ends it. */
const caughtUp = async (folder: string): Promise<Command> => {
  const running = starting(folder, ['run', PIPELINE, '--threads', '1', '--json']);
  await running.said('"state":"running"');
  await running.said('"lag":0');
  return running;
};
const stopped = async (running: Command): Promise<void> => {
  running.signal('SIGINT');
  expect((await running.finished).code).toBe(0);
};

describe('a pipeline that has read five tickets of eight', () => {
  let folder: string;
  let active: readonly { readonly code: number | null; readonly out: string; readonly err: string }[];
  beforeAll(async () => {
    folder = newFolder();
    await append(folder, 0, 5);
    const running = await caughtUp(folder);
    const second = starting(folder, ['run', PIPELINE, '--threads', '1']);
    await second.said('waiting: other processes');
    active = await Promise.all([
      stoplog(folder, ['groups', 'describe', 'tickets', '--over', '0']),
      stoplog(folder, ['groups', 'reset', 'tickets', '--to-earliest', '--execute']),
      stoplog(folder, ['groups', 'delete', 'tickets', '--execute']),
      stoplog(folder, ['topics', 'delete', 'tickets', '--execute']),
    ]);
    await stopped(second);
    await stopped(running);
    await append(folder, 5, 8);
  }, 60_000);

  test('a group that runs is not changed, and its members are listed', () => {
    const [described, ...refused] = active;
    expect(described!.err.match(/process \d+ has been in it since 20\S+Z, and sent its last heartbeat [\d.]+ s ago; it has .*/g)).toEqual([
      expect.stringMatching(/it has tickets\[0\]/),
      expect.stringMatching(/it has no partition: other members have them all/),
    ]);
    expect(described!.out).toMatch(/tickets +0 +5 +5 +0 +– +– +– +read +pid \d+\n/);
    for (const { code, err } of refused)
      expect([code, err]).toEqual([
        1,
        expect.stringMatching(
          /^STOPLOG_GROUP_ACTIVE {2}group 'tickets' is in use: process \d+ has been in it since .*; process \d+ has been .*Nothing was changed; end process \d+ and \d+/,
        ),
      ]);
  });
  test('groups lists the group with its lag, also as JSON', async () => {
    const [plain, json, topic] = await Promise.all([
      stoplog(folder, ['groups']),
      stoplog(folder, ['groups', 'list', '--json']),
      stoplog(folder, ['topics', 'describe', 'tickets']),
    ]);
    expect(plain.out).toMatch(/^GROUP +MEMBERS +TOPICS +LAG +OLDEST +STORES\ntickets +– +tickets +3 +[\d.]+m?s +\d\n$/);
    expect(JSON.parse(json.out)).toEqual([
      expect.objectContaining({
        group: 'tickets',
        members: [],
        lag: 3,
        lagSeconds: expect.any(Number),
        stores: expect.arrayContaining([{ store: 'count-by-key', version: 1 }]),
      }),
    ]);
    expect(topic.out).toMatch(/READER +LAG +OLDEST\ntickets +3 /);
  });
  test('a group without members never drains', async () => {
    const [plain, json] = await Promise.all([stoplog(folder, ['groups', 'describe', 'tickets']), stoplog(folder, ['groups', 'describe', 'tickets', '--json'])]);
    expect(plain.out).toMatch(/tickets +0 +5 +8 +3 +[\d.]+m?s +0 +0 +never +–\n/);
    expect(JSON.parse(json.out)).toMatchObject({ partitions: [{ topic: 'tickets', partition: 0, position: 5, end: 8, lag: 3, drainSeconds: null }] });
  });
  test('describe --log shows the lag of each input, also as JSON, and none for a missing topic', async () => {
    const other = newFolder();
    await stoplog(other, ['topics', 'create', 'others']);
    const [plain, json, fresh, drawn] = await Promise.all([
      stoplog(folder, ['describe', PIPELINE, '--log', 'lmdb:./data']),
      stoplog(folder, ['describe', PIPELINE, '--log', 'lmdb:./data', '--json']),
      stoplog(other, ['describe', PIPELINE, '--log', 'lmdb:./data']),
      stoplog(folder, ['describe', PIPELINE, '--log', 'lmdb:./data', '--mermaid']),
    ]);
    expect(plain.out).toMatch(/^ {2}task 0 {3}tickets (.|\n)*\n\nTASK {2}READS +LAG +OLDEST\n0 +tickets +3 +[\d.]+m?s\n$/m);
    expect(JSON.parse(json.out)).toMatchObject({ tasks: [{ inputs: [{ topic: 'tickets', lag: 3, lagSeconds: expect.any(Number) }] }] });
    expect(fresh.out).toMatch(/\n0 +tickets +– +not there yet\n$/);
    expect([drawn.code, drawn.err]).toEqual([2, expect.stringMatching(/--mermaid and --log exclude each other/)]);
  });
  test('a dry run shows the plan and changes nothing', async () => {
    const reset = await stoplog(folder, ['groups', 'reset', 'tickets', '--shift-by=-2']);
    expect(reset.code).toBe(0);
    expect(reset.out).toMatch(/^TOPIC +PARTITION +FROM +TO +MOVES\ntickets +0 +5 +3 +-2\n$/);
    expect(reset.err).toMatch(/1 of 1 positions would be moved: 2 records would be read again, 0 would be passed over\. Nothing was changed; add --execute/);
    expect(reset.err).toMatch(/store count-by-key holds the state as of the old positions.*stoplog groups delete tickets --execute/);
    const twice = await stoplog(folder, ['groups', 'reset', 'tickets', '--shift-by=-2', '--topic', 'tickets,tickets']);
    expect(twice.out).toBe(reset.out);
    expect((await stoplog(folder, ['groups', 'export', 'tickets'])).out).toBe('tickets,0,5\n');
  });
  test.runIf(existsSync('/dev/zero'))('reset refuses an endless file of positions after a bounded part', async () => {
    const { code, err } = await stoplog(folder, ['groups', 'reset', 'tickets', '--from-file', '/dev/zero']);
    expect([code, err]).toEqual([2, expect.stringMatching(/^STOPLOG_USAGE {2}\/dev\/zero holds more than 64 MiB: .*groups export/)]);
  });
  test('reset requires exactly one valid target', async () => {
    const wrong = [
      [],
      ['--to-earliest', '--to-latest'],
      ['--to-offset', 'x'],
      ['--to-datetime', 'tomorrow'],
      ['--by-duration', '5'],
      ['--from-file', 'none.csv'],
      ['--to-latest', '--topic', 'tickts'],
      ['--to-latest', '--partition', '0'],
      ['--to-datetime', '2026-02-30'],
      ['--to-latest', '--csv', '--json'],
    ];
    const said = await Promise.all(wrong.map((args) => stoplog(folder, ['groups', 'reset', 'tickets', ...args])));
    expect(said.map(({ err }) => err)).toEqual(
      [
        /exactly one of --to-earliest/,
        /--to-earliest and --to-latest exclude each other/,
        /no whole number/,
        /no time/,
        /no duration/,
        /cannot be read/,
        /Did you mean 'tickets'\?/,
        /add --topic T/,
        /no time/,
        /--csv and --json exclude each other/,
      ].map((words) => expect.stringMatching(words)),
    );
    expect((await stoplog(folder, ['groups', 'reset', 'tickts', '--to-latest'])).err).toMatch(
      /STOPLOG_GROUP_UNKNOWN {2}there is no group 'tickts' .*Did you mean 'tickets'\?/,
    );
  });
  test('a reset with --execute carries out the plan of the dry run, also later from its file', async () => {
    const plan = await stoplog(folder, ['groups', 'reset', 'tickets', '--to-datetime', '2001-01-01', '--csv']);
    expect(plan.out).toBe('tickets,0,0\n');
    writeFileSync(join(folder, 'plan.csv'), plan.out);
    const done = await stoplog(folder, ['groups', 'reset', 'tickets', '--from-file', 'plan.csv', '--execute', '--json']);
    expect(JSON.parse(done.out)).toEqual({
      group: 'tickets',
      executed: true,
      plan: [{ topic: 'tickets', partition: 0, from: 5, to: 0, clamped: null }],
      inconsistentStores: ['count-by-key'],
    });
    expect((await stoplog(folder, ['groups', 'export', 'tickets'])).out).toBe('tickets,0,0\n');
    const beyond = await stoplog(folder, ['groups', 'reset', 'tickets', '--to-offset', '99', '--execute']);
    expect(beyond.out).toMatch(/tickets +0 +0 +8 +\+8 +held back by the end of the log\n/);
    await stoplog(folder, ['groups', 'reset', 'tickets', '--by-duration', '1h', '--execute']);
    expect((await stoplog(folder, ['groups', 'export', 'tickets'])).out).toBe('tickets,0,0\n');
  });
  test('the plan to delete a topic names the groups that read it, and their stores', async () => {
    const asked = await stoplog(folder, ['topics', 'delete', 'tickets']);
    expect(asked.err).toMatch(/8 records in 1 partition, and with it group 'tickets', its 1 position and the store count-by-key: would be deleted/);
  });
  test('a pipeline that is run after its group was deleted folds its stores from nothing', async () => {
    const asked = await stoplog(folder, ['groups', 'delete', 'tickets']);
    expect(asked.err).toMatch(/group 'tickets', its 1 position and the store count-by-key: would be deleted\. Nothing was changed/);
    expect((await stoplog(folder, ['groups', 'delete', 'tickets', '--execute'])).err).toMatch(/: deleted\n$/);
    expect((await stoplog(folder, ['groups', 'list'])).err).toMatch(/holds no groups yet/);
    await stopped(await caughtUp(folder));
    expect((await stoplog(folder, ['tail', 'ticket-counts', '--until-end', '--key', 't0'])).out).toMatch(/t0 {2}1\n$/);
    expect((await stoplog(folder, ['tail', 'ticket-counts', '--until-end', '--filter', 'value!=1'])).out).toBe('');
  }, 30_000);
});

describe('a pipeline that is still at its first record', () => {
  test('a group at its first record has the whole topic as lag, and the topic cannot be deleted, even in a dry run', async () => {
    const folder = newFolder();
    await stoplog(folder, ['append', 'tickets', '--key-field', 'id', '--pipeline', PIPELINE], ticket('slow') + numbered(0, 2));
    const running = starting(folder, ['run', PIPELINE, '--threads', '1']);
    await running.said('busy');
    const [listed, described, topic, deleted] = await Promise.all([
      stoplog(folder, ['groups', '--json']),
      stoplog(folder, ['groups', 'describe', 'tickets', '--over', '0']),
      stoplog(folder, ['topics', 'describe', 'tickets', '--json']),
      stoplog(folder, ['topics', 'delete', 'tickets']),
    ]);
    // Two signals: after one, the process would wait for the handler.
    running.signal('SIGINT');
    await running.said('draining');
    running.signal('SIGINT');
    await running.finished;
    expect(JSON.parse(listed.out)).toEqual([expect.objectContaining({ group: 'tickets', lag: 3, topics: ['tickets'] })]);
    expect(described.out).toMatch(/tickets +0 +0 +3 +3 .*pid \d+\n/);
    expect(JSON.parse(topic.out)).toMatchObject({ readers: [{ group: 'tickets', lag: 3 }] });
    expect([deleted.code, deleted.err]).toEqual([1, expect.stringMatching(/^STOPLOG_GROUP_ACTIVE .*Nothing was changed/)]);
  }, 60_000);
});

describe('topics', () => {
  test('a topic is created, described, altered where that is allowed, and deleted', async () => {
    const folder = newFolder();
    expect((await stoplog(folder, ['topics', 'create', 'clicks', '--partitions', '2', '--retention', '7d', '--value-codec', 'string'])).err).toBe(
      "topic 'clicks' made: 2 partitions, not compacted\n",
    );
    const [again, declared, altered, refused] = await Promise.all([
      stoplog(folder, ['topics', 'create', 'clicks']),
      stoplog(folder, ['topics', 'create', 'ticket-counts', '--pipeline', PIPELINE]),
      stoplog(folder, ['topics', 'alter', 'clicks', '--retention', 'forever']),
      stoplog(folder, ['topics', 'alter', 'clicks', '--partitions', '16']),
    ]);
    expect((await stoplog(folder, ['topics', 'alter', 'clicks', '--timestamps', 'arrival'])).err).toBe("topic 'clicks' altered: timestamps given → arrival\n");
    expect(again.err).toMatch(/STOPLOG_TOPIC_SHAPE {2}topic 'clicks' is there already/);
    expect(declared.err).toMatch(/topic 'ticket-counts' made: 1 partition, compacted/);
    expect(altered.err).toBe("topic 'clicks' altered: retention 7d → for ever, segment 21h (default) → 7d (default)\n");
    expect([refused.code, refused.err]).toEqual([
      1,
      expect.stringMatching(
        /cannot be changed: .*its order would be lost\. Copy it, in the order of each key.*stoplog topics copy clicks clicks-16 --partitions 16/,
      ),
    ]);
    expect(JSON.parse((await stoplog(folder, ['topics', 'describe', 'clicks', '--json'])).out)).toMatchObject({
      topic: 'clicks',
      partitions: 2,
      timestamps: 'arrival',
      valueCodec: 'string',
      records: 0,
      offsets: [{ partition: 0, bytes: 0, cleaning: { dirtyRatio: null, last: null, failure: null } }, { partition: 1 }],
      readers: [],
    });
    expect((await stoplog(folder, ['topics', 'delete', 'clicks'])).err).toMatch(/0 records in 2 partitions: would be deleted\. Nothing was changed/);
    expect((await stoplog(folder, ['topics', 'delete', 'clicks', '--execute'])).err).toMatch(/: deleted\n$/);
    expect((await stoplog(folder, ['topics', 'list'])).out).toMatch(/^TOPIC .*\nticket-counts .*\n$/);
  }, 30_000);
  test('a topic has at most as many partitions as a declaration may have', async () => {
    const folder = newFolder();
    const limit = /STOPLOG_USAGE {2}topic 'many' cannot have partitions: 65536: take a whole number from 1 to 65535/;
    expect((await stoplog(folder, ['topics', 'create', 'many', '--partitions', '65536'])).err).toMatch(limit);
    await stoplog(folder, ['topics', 'create', 'few']);
    expect((await stoplog(folder, ['topics', 'copy', 'few', 'many', '--partitions', '65536'])).err).toMatch(limit);
    expect((await stoplog(folder, ['topics', 'list'])).out).not.toContain('many');
  }, 30_000);
  test('create, alter and delete report their result as JSON', async () => {
    const folder = newFolder();
    const reported = async (...args: string[]): Promise<unknown> => {
      const { code, out, err } = await stoplog(folder, ['topics', ...args, '--json']);
      expect([code, err]).toEqual([0, '']);
      return JSON.parse(out);
    };
    expect(await reported('create', 'clicks', '--partitions', '2')).toMatchObject({ topic: 'clicks', partitions: 2, cleanup: 'delete' });
    expect(await reported('alter', 'clicks', '--retention', '7d')).toMatchObject({ topic: 'clicks', retentionMs: 604_800_000, changed: true });
    expect(await reported('alter', 'clicks', '--retention', '7d')).toMatchObject({ changed: false });
    expect(await reported('delete', 'clicks')).toEqual({ topic: 'clicks', deleted: false, partitions: 2, records: 0, groups: [], deletedGroups: [] });
    expect(await reported('delete', 'clicks', '--execute')).toMatchObject({ deleted: true });
    expect(await reported('list')).toEqual([]);
  }, 30_000);
  test('help of an action shows examples, and an unknown action is refused with the known ones', async () => {
    const folder = newFolder();
    const [help, same, family, wrong] = await Promise.all([
      stoplog(folder, ['groups', 'reset', '--help']),
      stoplog(folder, ['help', 'groups', 'reset']),
      stoplog(folder, ['topics', '--help']),
      stoplog(folder, ['groups', 'rest']),
    ]);
    expect(help.out).toMatch(/^stoplog groups reset: .*\n\nExamples\n/);
    expect(same.out).toBe(help.out);
    expect(family.out).toMatch(/Actions\n(?: {2}stoplog .*\n)* {2}stoplog topics copy {2,}copies/);
    expect([wrong.code, wrong.err]).toEqual([
      2,
      expect.stringMatching(/'stoplog groups' cannot 'rest'\. Did you mean 'reset'\? It can list, describe, reset, export, delete/),
    ]);
  });
  test('tail ends before --to, and filters by the value at a path', async () => {
    const folder = newFolder();
    const line = (n: number): string =>
      `${JSON.stringify({ key: `k${n}`, value: { id: `k${n}`, state: n % 2 === 0 ? 'open' : 'closed' }, timestamp: `2026-01-0${n + 1}T00:00:00Z`, headers: [{ name: 'n', value: String(n) }] })}\n`;
    await stoplog(folder, ['append', 'tickets', '--json', '--pipeline', PIPELINE], [0, 1, 2, 3, 4].map(line).join(''));
    const keys = async (...args: string[]): Promise<readonly unknown[]> =>
      (await stoplog(folder, ['tail', 'tickets', '--json', ...args])).out
        .split('\n')
        .flatMap((text) => (text === '' ? [] : [(JSON.parse(text) as { readonly key: unknown }).key]));
    expect(
      await Promise.all([
        keys('--to', '2026-01-03T00:00:00Z'),
        keys('--from', 'offset 1', '--to', 'offset 3'),
        keys('--to', '2999-01-01'),
        keys('--until-end', '--filter', 'state=closed'),
        keys('--until-end', '--filter', 'headers.n=4'),
        keys('--until-end', '--filter', 'state!=open', '--limit', '1'),
        keys('--from', '-2', '--until-end'),
      ]),
    ).toEqual([['k0', 'k1'], ['k1', 'k2'], ['k0', 'k1', 'k2', 'k3', 'k4'], ['k1', 'k3'], ['k4'], ['k1'], ['k3', 'k4']]);
    expect((await stoplog(folder, ['tail', 'tickets', '--until-end', '--filter', 'process.exit()'])).err).toMatch(/no filter: write path=value/);
  }, 30_000);
});

describe('a copy', () => {
  const records = (count: number): string =>
    Array.from(
      { length: count },
      (_, i) =>
        `${JSON.stringify({ key: `k${i % 97}`, value: `${i} ${'x'.repeat(1_000)}`, timestamp: 1_000 + i, headers: [{ name: 'i', value: String(i) }] })}\n`,
    ).join('');
  const COUNT = 6_000;
  const number = (value: string): number => Number(value.split(' ')[0]);

  test('a copy that is killed repeatedly ends with every record once, in the order of its key', async () => {
    const folder = newFolder();
    await stoplog(folder, ['topics', 'create', 'old', '--partitions', '3', '--key-codec', 'string', '--value-codec', 'string']);
    await stoplog(folder, ['append', 'old', '--json'], records(COUNT));
    // From now on the log stamps new records of the topic; copied records keep their times.
    await stoplog(folder, ['topics', 'alter', 'old', '--timestamps', 'arrival']);
    const copy = (failpoints?: string): ReturnType<typeof stoplog> =>
      stoplog(folder, ['topics', 'copy', 'old', 'new', '--partitions', '5'], '', failpoints === undefined ? {} : { STOPLOG_FAILPOINTS: failpoints });
    // Killed before the commit is sent, inside its transaction, and after the commit but before its acknowledgement.
    for (const point of ['commit.before=kill#2', 'commit.written=kill#2', 'commit.applied=kill#1']) expect((await copy(point)).code).toBeNull();
    const done = await copy();
    expect([done.code, done.err]).toEqual([
      0,
      expect.stringMatching(/records copied from old to new: all that was there when it began\n(.|\n)*stoplog topics alter new --timestamps arrival/),
    ]);
    const found = (await stoplog(folder, ['tail', 'new', '--until-end', '--json'])).out
      .trim()
      .split('\n')
      .map(
        (text) =>
          JSON.parse(text) as {
            readonly key: string;
            readonly value: string;
            readonly timestamp: number;
            readonly headers: readonly { readonly value: string }[];
          },
      );
    expect(found.map(({ value }) => number(value)).sort((a, b) => a - b)).toEqual(Array.from({ length: COUNT }, (_, i) => i));
    const last = new Map<string, number>();
    for (const { key, value, timestamp, headers } of found) {
      const i = number(value);
      expect([timestamp, headers[0]!.value, i > (last.get(key) ?? -1)]).toEqual([1_000 + i, String(i), true]);
      last.set(key, i);
    }
    // A second run copies only the new records.
    await stoplog(folder, ['append', 'old', '--json'], '{"key":"late","value":"late"}\n');
    expect((await copy()).err).toMatch(/^1 record copied from old to new/);
    // The copy is deleted: the records after the position of its group would be a part that looks like a whole copy.
    await stoplog(folder, ['topics', 'delete', 'new', '--execute']);
    expect((await copy()).err).toMatch(/'new' is not there any more: .*stoplog groups delete copy\.old\.new --execute/);
  }, 60_000);
  test('a copy refuses a target that it did not make', async () => {
    const folder = newFolder();
    await Promise.all(
      ['old', 'full', 'other'].map((name) =>
        stoplog(folder, ['topics', 'create', name, '--key-codec', 'string', '--value-codec', name === 'other' ? 'json' : 'string']),
      ),
    );
    await stoplog(folder, ['append', 'full', '--key', 'k'], 'x\n');
    const [self, mixed, foreign, missing] = await Promise.all(
      ['old', 'full', 'other'].map((name) => stoplog(folder, ['topics', 'copy', 'old', name])).concat(stoplog(folder, ['topics', 'copy', 'odl', 'new'])),
    );
    expect(self!.err).toMatch(/cannot be copied into itself/);
    expect(mixed!.err).toMatch(/holds 1 record that this copy did not append/);
    expect(foreign!.err).toMatch(/is no copy of 'old'/);
    expect(missing!.err).toMatch(/Did you mean 'old'\?/);
  }, 30_000);
});
