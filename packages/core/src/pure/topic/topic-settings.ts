/**
 * The settings of a topic, one entry each. Derived from these two tables: the types of a declaration and of a shape, the checks
 * and their errors, the defaults, the options of `stoplog topics create` and `alter` with their help, and
 * docs/reference/topic-settings.md. A test holds the comment above each entry, which editors show, to the entry.
 */
import type { KeptIn } from './setting.ts';

export const OF_EVERY_TOPIC = {
  /** Splits the topic for parallel reading; the number cannot be changed later. 4 when left out. Kafka: num.partitions, 1. */
  partitions: {
    type: 'count',
    least: 1,
    most: 65_535,
    default: 4,
    defaultText: '4',
    example: '8',
    keptIn: 'shape',
    kept: 'partitions',
    option: 'partitions',
    optionExample: '8',
    kafka: { name: 'num.partitions', default: '1' },
    sentence: 'Splits the topic for parallel reading; the number cannot be changed later',
  },
  /** Keeps records for at least this long. forever when left out. Kafka: retention.ms, 7d. */
  retention: {
    type: 'duration',
    least: 1,
    defaultText: 'forever',
    example: 'days(7)',
    keptIn: 'shape',
    kept: 'retentionMs',
    option: 'retention',
    optionExample: '7d',
    kafka: { name: 'retention.ms', default: '7d' },
    sentence: 'Keeps records for at least this long',
  },
  /** Keeps at least this many bytes of each partition. no limit when left out. Kafka: retention.bytes, no limit. */
  retentionBytes: {
    type: 'bytes',
    defaultText: 'no limit',
    example: '1_000_000_000',
    keptIn: 'forgetting',
    kept: 'retentionBytes',
    option: 'retention-bytes',
    optionExample: '10GB',
    kafka: { name: 'retention.bytes', default: 'no limit' },
    sentence: 'Keeps at least this many bytes of each partition',
  },
  /** Closes a segment, the unit of cleaning, after this time. 7d, or an eighth of the retention when left out. Kafka: segment.ms, 7d. */
  segment: {
    type: 'duration',
    least: 1,
    default: 604_800_000,
    defaultText: '7d, or an eighth of the retention',
    example: 'hours(1)',
    keptIn: 'forgetting',
    kept: 'segmentMs',
    option: 'segment',
    optionExample: '1h',
    kafka: { name: 'segment.ms', default: '7d' },
    sentence: 'Closes a segment, the unit of cleaning, after this time',
  },
  /** Closes a segment at this size. 64MiB when left out. Kafka: segment.bytes, 1GiB. */
  segmentBytes: {
    type: 'bytes',
    least: 1,
    default: 67_108_864,
    defaultText: '64MiB',
    example: '64_000_000',
    keptIn: 'forgetting',
    kept: 'segmentBytes',
    option: 'segment-bytes',
    optionExample: '16MiB',
    kafka: { name: 'segment.bytes', default: '1GiB' },
    sentence: 'Closes a segment at this size',
  },
  /** Ages a segment by the arrival of its records, or by their timestamps. arrival when left out. Kafka: message.timestamp.type, CreateTime. */
  ageBy: {
    type: 'choice',
    choices: ['arrival', 'timestamp'],
    default: 'arrival',
    defaultText: 'arrival',
    example: "'timestamp'",
    keptIn: 'forgetting',
    kept: 'ageBy',
    option: 'age-by',
    optionExample: 'timestamp',
    kafka: { name: 'message.timestamp.type', default: 'CreateTime' },
    sentence: 'Ages a segment by the arrival of its records, or by their timestamps',
  },
  /** Takes a record's timestamp from its producer, or from the log's clock at the append. given when left out. Kafka: message.timestamp.type, CreateTime. */
  timestamps: {
    type: 'choice',
    choices: ['given', 'arrival'],
    default: 'given',
    defaultText: 'given',
    example: "'arrival'",
    keptIn: 'shape',
    kept: 'timestamps',
    option: 'timestamps',
    optionExample: 'arrival',
    kafka: { name: 'message.timestamp.type', default: 'CreateTime' },
    sentence: "Takes a record's timestamp from its producer, or from the log's clock at the append",
  },
  /** Trusts stored records, or parses them when they are read: for a topic that others write. trusted when left out. */
  reads: {
    type: 'choice',
    choices: ['trusted', 'parsed'],
    default: 'trusted',
    defaultText: 'trusted',
    example: "'parsed'",
    keptIn: 'declaration',
    kept: 'reads',
    sentence: 'Trusts stored records, or parses them when they are read: for a topic that others write',
  },
  /** Trusts what functions of a pipeline make, or parses it before it is written. trusted, in tests parsed when left out. */
  writes: {
    type: 'choice',
    choices: ['trusted', 'parsed'],
    default: 'trusted',
    defaultText: 'trusted, in tests parsed',
    example: "'parsed'",
    keptIn: 'declaration',
    kept: 'writes',
    sentence: 'Trusts what functions of a pipeline make, or parses it before it is written',
  },
} as const;

export const OF_COMPACTED_TOPICS = {
  /** Keeps a deletion for this long after the first cleaning that meets it. 1d when left out. Kafka: delete.retention.ms, 1d. */
  deleteRetention: {
    type: 'duration',
    default: 86_400_000,
    defaultText: '1d',
    example: 'days(1)',
    keptIn: 'forgetting',
    kept: 'deleteRetentionMs',
    option: 'delete-retention',
    optionExample: '2d',
    kafka: { name: 'delete.retention.ms', default: '1d' },
    sentence: 'Keeps a deletion for this long after the first cleaning that meets it',
  },
  /** Leaves records uncompacted until they are this old. 0s when left out. Kafka: min.compaction.lag.ms, 0s. */
  minCompactionLag: {
    type: 'duration',
    default: 0,
    defaultText: '0s',
    example: 'minutes(5)',
    keptIn: 'forgetting',
    kept: 'minCompactionLagMs',
    option: 'min-compaction-lag',
    optionExample: '5m',
    kafka: { name: 'min.compaction.lag.ms', default: '0s' },
    sentence: 'Leaves records uncompacted until they are this old',
  },
  /** Compacts records before they are older than this. no limit when left out. Kafka: max.compaction.lag.ms, no limit. */
  maxCompactionLag: {
    type: 'duration',
    least: 1,
    defaultText: 'no limit',
    example: 'days(7)',
    keptIn: 'forgetting',
    kept: 'maxCompactionLagMs',
    option: 'max-compaction-lag',
    optionExample: '7d',
    kafka: { name: 'max.compaction.lag.ms', default: 'no limit' },
    sentence: 'Compacts records before they are older than this',
  },
  /** Compacts when this share of the bytes is new since the last pass. 0.5 when left out. Kafka: min.cleanable.dirty.ratio, 0.5. */
  minDirtyRatio: {
    type: 'share',
    most: 1,
    default: 0.5,
    defaultText: '0.5',
    example: '0.2',
    keptIn: 'forgetting',
    kept: 'minDirtyRatio',
    option: 'min-dirty-ratio',
    optionExample: '0.2',
    kafka: { name: 'min.cleanable.dirty.ratio', default: '0.5' },
    sentence: 'Compacts when this share of the bytes is new since the last pass',
  },
} as const;

export type EverySetting = typeof OF_EVERY_TOPIC & typeof OF_COMPACTED_TOPICS;
/** Settings of retention and compaction as a shape stores them; a setting that is left out is left out here too, so a later default applies. */
export type Cleaning = KeptIn<EverySetting>;
