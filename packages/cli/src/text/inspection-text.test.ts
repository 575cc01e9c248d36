import type { CheckReport, RepairReport } from '@stoplog/core/tools';
import { describe, expect, test } from 'vitest';
import { checkData, checkSummary, findingLines, repairData, repairLines, repairNotes, repairSummary } from './inspection-text.ts';

const report: CheckReport = {
  findings: [
    {
      rule: 'checksum',
      file: 'data.mdb',
      table: 'log',
      topic: 'orders',
      partition: 1,
      offset: 120n,
      until: 136n,
      what: 'the checksum of its records does not agree',
    },
    { rule: 'unknown', file: 'data.mdb', table: 'meta', what: 'later' },
  ],
  omitted: 0,
  notes: [],
  topics: 1,
  partitions: 4,
  batches: 1_250,
  records: 20_000,
  entries: 31,
  bytes: 1_000_000,
  commit: 7,
  isWhole: true,
};
const repaired: RepairReport = {
  partitions: [
    { topic: 'orders', partition: 0, start: 0n, end: 40n, endIsKnown: true, batches: 3, records: 40, foundAgain: 1, lost: [] },
    {
      topic: 'orders',
      partition: 1,
      start: 2n,
      end: 90n,
      endIsKnown: false,
      reached: 60n,
      batches: 3,
      records: 50,
      foundAgain: 0,
      lost: [
        { offset: 5n, until: 6n },
        { offset: 10n, until: 17n },
      ],
    },
  ],
  lostOffsets: 8,
  stores: [{ store: 'sums', group: 'billing', entries: 12, isKept: false }],
  positionsKept: 0,
  positionsDropped: 2,
  restarted: [{ group: 'billing', why: "store 'sums' may have lost entries", topics: ['billing.repartition'] }],
  missing: { stores: 3 },
  copied: 0,
  renamed: [],
  commit: 7,
  isLatest: true,
  mayMissPartitions: false,
  mayHoldDeleted: false,
};

describe('a check says', () => {
  test('a check prints the location of each finding, and their number', () => {
    expect(findingLines(report.findings).split('\n')).toEqual([
      'RULE      WHERE                                      WHAT',
      'checksum  data.mdb log orders[1] offsets 120 to 135  the checksum of its records does not agree',
      'unknown   data.mdb meta                              later',
      '',
    ]);
    expect(checkSummary(report)).toBe('1 topic, 4 partitions, 1 250 batches, 20 000 records of 1 000 000 bytes, 31 other entries: 1 finding');
    expect(checkSummary({ ...report, findings: [] })).toMatch(/: nothing is wrong$/);
    expect(checkSummary({ ...report, findings: report.findings.slice(1) })).toMatch(/: nothing is wrong that this version knows of$/);
    expect(checkSummary({ ...report, omitted: 5, isWhole: false })).toMatch(/: 6 findings, as far as the check came, of which 5 are not listed$/);
  });
  test('a check reports the same findings as data, with offsets as numbers', () => {
    expect(checkData(report)).toMatchObject({ damaged: true, findings: [{ offset: 120, until: 136 }, { rule: 'unknown' }] });
    expect(checkData({ ...report, findings: report.findings.slice(1) })).toMatchObject({ damaged: false });
  });
});

describe('a repair says', () => {
  test('a repair prints the kept and lost records of each partition and store', () => {
    expect(repairLines(repaired).split('\n')).toEqual([
      'TOPIC   PARTITION  START  END  RECORDS KEPT  OFFSETS LOST  WHICH',
      'orders          0      0   40            40             0',
      'orders          1      2   90            50             8  5, 10 to 16',
      '',
      'STORE  GROUP    ENTRIES',
      'sums   billing       12  left out: the next run rebuilds it',
      '',
    ]);
    expect(repairSummary(repaired, 'new')).toBe('90 records kept in new, 1 batch of them on leaked pages; 8 offsets lost');
  });
  test('a repair prints notes to be read before the new folder is used', () => {
    expect(repairNotes(repaired)).toEqual([
      expect.stringMatching(
        /^group 'billing' starts from nothing, .*store 'sums' may have lost entries.*appends its output again\. Left out .*: topic 'billing\.repartition'$/,
      ),
      expect.stringMatching(/^the end of orders\[1\] is lost: .* before 60.*resume at 90/),
    ]);
    expect(
      repairNotes({
        ...repaired,
        restarted: [],
        partitions: [],
        missing: { positions: 1 },
        isLatest: false,
        mayMissPartitions: true,
        mayHoldDeleted: true,
        copied: 1,
        renamed: ['recovered.3'],
      }),
    ).toEqual([
      expect.stringContaining('1 position could not be found'),
      expect.stringContaining("'recovered.3'"),
      expect.stringContaining('topics and partitions without any trace'),
      expect.stringContaining('the list of free pages is damaged too'),
      expect.stringContaining('a later one may be lost'),
      expect.stringContaining('1 entry of kinds'),
    ]);
  });
  test('a repair reports the same as data', () => {
    expect(repairData(repaired)).toMatchObject({
      lostOffsets: 8,
      partitions: [
        { end: 40, lost: [] },
        {
          reached: 60,
          lost: [
            { offset: 5, until: 6 },
            { offset: 10, until: 17 },
          ],
        },
      ],
    });
    JSON.stringify(repairData(repaired));
  });
});
