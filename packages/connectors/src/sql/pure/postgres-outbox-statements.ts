/**
 * The statements of an outbox in PostgreSQL.
 *
 * A row's id is assigned when the row is inserted, and rows become visible when they are committed: a cursor over ids passes over a late commit.
 * An order by transaction ids is no order of commits either, and waits for the oldest transaction of the whole server. So the reader numbers
 * the rows that it finds committed. One reader numbers at a time, and rows that are found together are numbered by id: a transaction that has
 * seen another one's row has a higher id, and comes after it.
 */
import { quotedTable } from './postgres-statements.ts';

/** `orders` or `sales.orders`, each part quoted, as `to_regclass` takes it. */
export const tableName = (table: string): string => quotedTable({ name: table });

/** The channel on which the trigger of an outbox tells the number of its table. */
export const CHANNEL = 'stoplog_outbox';
/** $1 is the name of a table. */
export const OID_OF = 'SELECT to_regclass($1)::oid::int8::text AS oid';
export const SEQUENCE_OF = `SELECT pg_get_serial_sequence($1, 'position') AS sequence`;
/** `sequence` is quoted, as SEQUENCE_OF answers it. */
export const lastGiven = (sequence: string): string => `SELECT CASE WHEN is_called THEN last_value ELSE 0 END AS last FROM ${sequence}`;
/** The class of the advisory lock that a numbering holds; the object is the table. */
const LOCK_CLASS = 0x73_74_6f_70;

/**
 * The statements that make an outbox, for a migration: a table with a key, a value, and the position that the reader gives each row, and a
 * trigger that tells the reader of inserts. Add columns as you like.
 *
 * @example
 * console.log(postgresOutboxTable('outbox'));
 */
export const postgresOutboxTable = (table: string): string => {
  const name = tableName(table);
  const beside = (suffix: string): string => tableName(`${table}_${suffix}`);
  const local = (suffix: string): string => tableName(`${table.split('.').at(-1)!}_${suffix}`);
  return `CREATE TABLE ${name} (
  id bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  key text NOT NULL,
  value jsonb NOT NULL,
  position bigint UNIQUE
);
CREATE SEQUENCE ${beside('position')} OWNED BY ${name}.position;
CREATE INDEX ${local('waiting')} ON ${name} (id) WHERE position IS NULL;
CREATE OR REPLACE FUNCTION stoplog_outbox() RETURNS trigger LANGUAGE plpgsql AS $$
  BEGIN PERFORM pg_notify('${CHANNEL}', TG_RELID::text); RETURN NULL; END $$;
CREATE TRIGGER ${local('inserted')} AFTER INSERT ON ${name} FOR EACH STATEMENT EXECUTE FUNCTION stoplog_outbox();
`;
};

export interface OutboxStatements {
  /** $1 is a position, $2 the number of rows. */
  readonly rows: string;
  /** $1 is a position. */
  readonly deleteBefore: string;
  /** Numbers at most that many committed rows, in one transaction and one round trip. */
  number(sequence: string, oid: number, rows: number): string;
}

export const outboxStatements = (table: string): OutboxStatements => {
  const name = tableName(table);
  return {
    rows: `SELECT * FROM ${name} WHERE position >= $1 ORDER BY position LIMIT $2`,
    deleteBefore: `DELETE FROM ${name} WHERE position < $1`,
    // Flushed even where the user's commits are not: a position that a power cut took back would be given to another row.
    // Read committed: the UPDATE sees what the holder of the lock before has numbered.
    number: (sequence, oid, rows) => `BEGIN ISOLATION LEVEL READ COMMITTED;
SET LOCAL synchronous_commit = on;
SELECT pg_advisory_xact_lock(${LOCK_CLASS}, ${oid | 0});
UPDATE ${name} AS outbox SET position = numbered.position
FROM (SELECT id, nextval('${sequence.replaceAll("'", "''")}') AS position
      FROM (SELECT id FROM ${name} WHERE position IS NULL ORDER BY id LIMIT ${rows}) AS waiting) AS numbered
WHERE outbox.id = numbered.id;
COMMIT`,
  };
};
