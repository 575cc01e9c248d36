/**
 * The one door to the Kafka client, with the workarounds for its faults built in.
 *
 *  - A producer is always idempotent: a send to several partitions that is retried is appended once (without, up to twice).
 *  - A producer asks for its id with -1, -1, which says "none yet": with the client's own 0, 0 the broker refuses every later
 *    producer of a known transactional id as fenced.
 *  - A record's partition is the one that Java's client picks; the client's own default differs for half of all keys.
 *  - A connection has a listener for errors: without one, a broker that goes away ends the process.
 *  - The broker handles the requests of a connection one after the other, so a request that may wait long has a connection of its own.
 *
 * Requests are the protocol's, typed by the client, in the versions of Kafka 4.
 */
import './with-resolvers.ts';
import * as kafka from '@platformatic/kafka';

/** Requests of the protocol: `fetch.api.async(connection, …)`. */
export {
  addOffsetsToTxnV4 as addOffsetsToTxn,
  createPartitionsV3 as createPartitions,
  createTopicsV7 as createTopics,
  deleteRecordsV2 as deleteRecords,
  deleteTopicsV6 as deleteTopics,
  describeGroupsV5 as describeGroups,
  fetchV17 as fetch,
  findCoordinatorV6 as findCoordinator,
  heartbeatV4 as heartbeat,
  incrementalAlterConfigsV1 as incrementalAlterConfigs,
  joinGroupV9 as joinGroup,
  leaveGroupV5 as leaveGroup,
  listOffsetsV9 as listOffsets,
  metadataV12 as metadata,
  offsetFetchV9 as offsetFetch,
  syncGroupV5 as syncGroup,
  txnOffsetCommitV4 as txnOffsetCommit,
} from '@platformatic/kafka';

export type Connection = kafka.Connection;
export type KafkaBatch = kafka.RecordsBatch;
export type KafkaRecord = kafka.KafkaRecord;
export type FetchedPartition = Awaited<ReturnType<typeof kafka.fetchV17.api.async>>['responses'][number]['partitions'][number];
export type TransactionalProducer = kafka.Producer<Bytes, Bytes, Buffer, Bytes>;
export type Transaction = NonNullable<TransactionalProducer['transaction']>;
type Bytes = Buffer | null;

/** A record on its way to a partition; `offset` is given by the broker. */
export interface KafkaMessage {
  readonly topic: string;
  readonly partition: number;
  readonly key: Bytes;
  readonly value: Bytes;
  readonly timestamp: bigint;
  readonly headers: Map<Buffer, Bytes>;
}

const CLIENT_ID = 'stoplog';
/** Longer than a group's members may take to join. */
const REQUEST_TIMEOUT_MS = 90_000;
const RETRY = { retries: 200, retryDelay: 10 };

export const connect = async (host: string, port: number): Promise<Connection> => {
  const connection = new kafka.Connection(CLIENT_ID, { requestTimeout: REQUEST_TIMEOUT_MS, connectTimeout: 5_000 });
  // Each pending request fails by itself; an event without a listener would end the process.
  connection.on('error', () => {});
  await connection.connect(host, port);
  return connection;
};

/** A producer of transactions; `timeoutMs` is how long the broker lets one stay open. */
export const producerOf = (brokers: readonly string[], transactionalId: string, timeoutMs: number): TransactionalProducer =>
  new kafka.Producer<Bytes, Bytes, Buffer, Bytes>({
    clientId: CLIENT_ID,
    bootstrapBrokers: [...brokers],
    idempotent: true,
    transactionalId,
    producerId: -1n,
    producerEpoch: -1,
    partitioner: kafka.compatibilityPartitioner,
    timeout: timeoutMs,
    ...RETRY,
  });

/** Whether a broker at `HOST:PORT` answers a request for the cluster's nodes. */
export const answersMetadata = async (address: string): Promise<boolean> => {
  const [host, port] = address.split(':');
  try {
    const connection = await connect(host!, Number(port));
    const { brokers } = await kafka.metadataV12.api.async(connection, []);
    await connection.close();
    return brokers.length > 0;
  } catch {
    return false;
  }
};
