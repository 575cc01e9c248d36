/**
 * The manifest of a backup: the properties of its data file, so that a restore can tell a whole backup from any other folder.
 *
 * The manifest is written last, and makes a folder a backup: a folder without it is no backup, and a data folder with it is
 * not opened, since opening would change it.
 */
import { StoplogError } from '../../pure/errors.ts';
import { FORMAT, TABLES, type Table } from './keyspace.ts';

export interface Manifest {
  /** The format of the data file, as in a data folder. */
  readonly format: number;
  /** The time when the backup was begun, as ISO 8601. */
  readonly taken: string;
  /** The size of the data file. */
  readonly bytes: number;
  readonly sha256: string;
  /** The number of entries of each table. */
  readonly entries: Readonly<Record<Table, number>>;
}
const WHAT = 'a backup of a Stoplog log: put it back with stoplog restore';

export const manifestText = (manifest: Manifest): string => `${JSON.stringify({ what: WHAT, ...manifest }, undefined, 2)}\n`;

/** `path` appears in the error. Refuses a newer format, and a text that is no manifest. */
export const parseManifest = (path: string, text: string): Manifest => {
  const found = parse(text);
  const format = found?.['format'];
  if (typeof format === 'number' && format > FORMAT) {
    throw new StoplogError(
      'STOPLOG_LOG_FORMAT',
      { path, found: format, known: FORMAT },
      `the backup in ${path} has format ${format}, this version of Stoplog reads up to ${FORMAT}: upgrade @stoplog/core; nothing was changed`,
    );
  }
  if (found === undefined || !isManifest(found)) {
    throw new StoplogError(
      'STOPLOG_LOG_CORRUPT',
      { path, reason: 'manifest' },
      `the manifest of the backup in ${path} is damaged: restore from another backup; nothing was changed`,
    );
  }
  const { taken, bytes, sha256, entries } = found;
  return { format: found.format, taken, bytes, sha256, entries };
};

const parse = (text: string): Readonly<Record<string, unknown>> | undefined => {
  try {
    const found: unknown = JSON.parse(text);
    return typeof found === 'object' && found !== null ? (found as Record<string, unknown>) : undefined;
  } catch {
    return undefined;
  }
};
const isManifest = (found: Readonly<Record<string, unknown>>): found is Readonly<Record<string, unknown>> & Manifest => {
  const { format, taken, bytes, sha256, entries } = found as Partial<Manifest>;
  return (
    isCount(format) &&
    typeof taken === 'string' &&
    isCount(bytes) &&
    typeof sha256 === 'string' &&
    /^[0-9a-f]{64}$/.test(sha256) &&
    typeof entries === 'object' &&
    entries !== null &&
    TABLES.every((table) => entries[table] === undefined || isCount(entries[table]))
  );
};
const isCount = (value: unknown): value is number => typeof value === 'number' && Number.isSafeInteger(value) && value >= 0;
