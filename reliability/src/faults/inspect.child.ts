/**
 * Works on one damaged copy, so that a crash affects one copy only:
 *
 *   inspect.child.js read FOLDER            the log itself: opens it and reads the topic 'numbers' whole
 *   inspect.child.js repair FOLDER TO [FOLDER TO]…   check, repair, and the repaired log read whole and appended to; a line for each
 *
 * A line is JSON: { records: { "partition offset": text }, … } or { code } of the error that reported the damage.
 */
import { isStoplogError } from '@stoplog/core';
import type { Log } from '@stoplog/core/port';
import { BatchBuilder, openPort } from '@stoplog/core/kit';
import { isDamage, loadTools } from '@stoplog/core/tools';
import { lmdb } from '@stoplog/core/lmdb';
import { recordsOf } from '../flagship/final.ts';

const [mode, ...paths] = process.argv.slice(2) as [string, ...string[]];

const read = async (log: Log): Promise<Record<string, string>> => {
  const module = await loadTools(lmdb('.'));
  const records: Record<string, string> = {};
  for (const { name, partitions } of await module.topics(log)) {
    if (name !== 'numbers' && !name.startsWith('recovered.')) continue;
    for (let partition = 0; partition < partitions; partition++)
      for (const { offset, text } of await recordsOf(log, name, partition)) records[`${partition} ${offset}`] = text;
  }
  return records;
};
const say = (what: unknown): void => console.log(JSON.stringify(what, (_, value: unknown) => (typeof value === 'bigint' ? Number(value) : value)));
const codeOf = (error: unknown): { readonly code: string } => ({ code: isStoplogError(error) ? error.code : String(error) });

if (mode === 'read') {
  try {
    await using log = await openPort(lmdb(paths[0]!, { create: false }));
    say({ records: await read(log) });
  } catch (error) {
    say(codeOf(error));
  }
}
for (let i = 0; mode === 'repair' && i < paths.length; i += 2) {
  const [path, to] = [paths[i]!, paths[i + 1]!];
  const module = await loadTools(lmdb(path));
  let findings = 0;
  try {
    findings = (await module.check(lmdb(path).options)).findings.filter(isDamage).length;
    const { partitions, lostOffsets, mayMissPartitions } = await module.repair(lmdb(path).options, to);
    await using log = await openPort(lmdb(to));
    const records = await read(log);
    const appended: Record<string, number> = {};
    const builder = new BatchBuilder();
    for (const { topic, partition } of partitions) {
      if (topic !== 'numbers' && !topic.startsWith('recovered.')) continue;
      builder.append('"after"', '"repair"', 1);
      const { offsets } = await log.commit({ group: '', epoch: 0, appends: [{ topic, partition, batch: builder.finish() }], stores: [], positions: [] });
      appended[String(partition)] = Number(offsets[0]);
    }
    say({
      findings,
      records,
      appended,
      lostOffsets,
      mayMissPartitions,
      partitions: partitions.filter(({ topic }) => topic === 'numbers' || topic.startsWith('recovered.')),
    });
  } catch (error) {
    say({ findings, ...codeOf(error) });
  }
}
process.stdin.destroy();
