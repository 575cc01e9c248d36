/** The report of a check or a repair of a log, in lines for people and as data for programs. */
import { type CheckReport, type Finding, isDamage, placeText, type RepairedPartition, type RepairReport } from '@stoplog/core/tools';
import { grouped } from '@stoplog/runtime/kit';
import { columns } from './columns.ts';
import { offsetData } from './json-text.ts';

export const plural = (count: number, one: string, many: string = `${one}s`): string => `${grouped(count)} ${count === 1 ? one : many}`;

export const findingLines = (findings: readonly Finding[]): string =>
  findings.length === 0
    ? ''
    : columns([['RULE', 'WHERE', 'WHAT'], ...findings.map((one) => [one.rule, placeText(one), one.what])])
        .map((line) => `${line}\n`)
        .join('');

/** `4 topics, 12 partitions, …: nothing is wrong` */
export const checkSummary = (report: CheckReport): string => {
  const { topics, partitions, batches, records, bytes, entries, findings, omitted, isWhole } = report;
  const read = [
    plural(topics, 'topic'),
    plural(partitions, 'partition'),
    plural(batches, 'batch', 'batches'),
    `${plural(records, 'record')} of ${grouped(bytes)} bytes`,
    plural(entries, 'other entry', 'other entries'),
  ].join(', ');
  const damage = findings.filter(isDamage).length + omitted;
  const unknown = findings.length - (damage - omitted);
  const verdict = damage > 0 ? plural(damage, 'finding') : unknown > 0 ? 'nothing is wrong that this version knows of' : 'nothing is wrong';
  return `${read}: ${verdict}${isWhole ? '' : ', as far as the check came'}${omitted > 0 ? `, of which ${grouped(omitted)} are not listed` : ''}`;
};

export const checkData = (report: CheckReport): unknown => ({
  ...report,
  findings: report.findings.map(({ offset, until, ...rest }) => ({
    ...rest,
    ...(offset === undefined ? {} : { offset: offsetData(offset) }),
    ...(until === undefined ? {} : { until: offsetData(until) }),
  })),
  damaged: report.findings.some(isDamage) || report.omitted > 0,
});

export const repairLines = (report: RepairReport): string => {
  const rows = report.partitions.map((one) => [
    one.topic,
    String(one.partition),
    String(one.start),
    String(one.end),
    grouped(one.records),
    grouped(lostIn(one)),
    spansText(one),
  ]);
  const table = columns([['TOPIC', 'PARTITION', 'START', 'END', 'RECORDS KEPT', 'OFFSETS LOST', 'WHICH'], ...rows], [1, 2, 3, 4, 5]);
  const stores = report.stores.map(({ store, group, entries, isKept }) => [
    store,
    group,
    grouped(entries),
    isKept ? 'kept' : 'left out: the next run rebuilds it',
  ]);
  const more = stores.length === 0 ? [] : ['', ...columns([['STORE', 'GROUP', 'ENTRIES', ''], ...stores], [2])];
  return [...table, ...more].map((line) => `${line}\n`).join('');
};

/** Notes to be read before the new folder is used, as sentences. */
export const repairNotes = (report: RepairReport): readonly string[] => [
  ...report.restarted.map(
    ({ group, why, topics }) =>
      `group '${group}' starts from nothing, without positions and stores: ${why}. The next run reads its topics from the start, rebuilds its stores, and appends its output again${topics.length === 0 ? '' : `. Left out with it, because it fills them again: ${topics.map((topic) => `topic '${topic}'`).join(', ')}`}`,
  ),
  ...(report.restarted.length === 0 && (report.missing.positions ?? 0) > 0
    ? [`${plural(report.missing.positions!, 'position')} could not be found: those groups resume from the start of the partition`]
    : []),
  ...report.partitions
    .filter(({ endIsKnown }) => !endIsKnown)
    .map(
      ({ topic, partition, end, reached }) =>
        `the end of ${topic}[${partition}] is lost: the last offset found is before ${reached}. An unknown number of records may have followed; appends resume at ${end}, after all possible records`,
    ),
  ...report.renamed.map((topic) => `the name of a topic is lost: its records are in '${topic}', keys and values as bytes`),
  ...(report.mayMissPartitions
    ? ['the list of names and the ends are damaged: there may have been topics and partitions without any trace, and their records cannot be counted']
    : []),
  ...(report.mayHoldDeleted ? ['the list of free pages is damaged too: the recovered records may include some that retention or compaction had removed'] : []),
  ...(report.isLatest ? [] : [`the start of the last commit is damaged: this is commit ${report.commit}, and a later one may be lost`]),
  ...(report.copied > 0 ? [`${plural(report.copied, 'entry', 'entries')} of kinds that this version does not know were copied unchanged`] : []),
];

export const repairSummary = (report: RepairReport, to: string): string => {
  const records = report.partitions.reduce((sum, one) => sum + one.records, 0);
  const again = report.partitions.reduce((sum, one) => sum + one.foundAgain, 0);
  const found = again === 0 ? '' : `, ${plural(again, 'batch', 'batches')} of them on leaked pages`;
  return `${plural(records, 'record')} kept in ${to}${found}; ${report.lostOffsets === 0 ? 'no offset' : plural(report.lostOffsets, 'offset')} lost`;
};

export const repairData = (report: RepairReport): unknown => ({
  ...report,
  partitions: report.partitions.map(({ start, end, reached, lost, ...rest }) => ({
    ...rest,
    start: offsetData(start),
    end: offsetData(end),
    ...(reached === undefined ? {} : { reached: offsetData(reached) }),
    lost: lost.map(({ offset, until }) => ({ offset: offsetData(offset), until: offsetData(until) })),
  })),
});

const lostIn = ({ lost }: RepairedPartition): number => Number(lost.reduce((sum, { offset, until }) => sum + until - offset, 0n));
const SPANS = 6;
const spansText = ({ lost }: RepairedPartition): string =>
  lost
    .slice(0, SPANS)
    .map(({ offset, until }) => (until === offset + 1n ? String(offset) : `${offset} to ${until - 1n}`))
    .join(', ') + (lost.length > SPANS ? `, and ${lost.length - SPANS} more spans` : '');
