/**
 * Three million flights of 2001 from the Parquet file that comes with `vega-datasets`, a row group at a time.
 *
 * Parquet keeps columns apart and cuts them into groups of rows, here of 272,727. One group is in memory at any time, as five
 * arrays; a flight object is made when it is read. Whole numbers are 64 bits wide in the file, so they are read as BigInt;
 * these all fit a number.
 */
import { fileURLToPath } from 'node:url';
import type { NewRecord } from '@stoplog/core';
import { asyncBufferFromFile, parquetMetadataAsync, parquetRead } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import type { Flight } from './topics.ts';

const FILE = new URL('../data/flights-3m.parquet', import.meta.resolve('vega-datasets'));

export interface FlightsFile {
  readonly rows: number;
  /** Up to `limit` flights in the order of the file, which is that of their departure, a group at a time. */
  groups(limit: number): AsyncIterable<Iterable<NewRecord<string, Flight>>>;
}

export const openFlights = async (): Promise<FlightsFile> => {
  const file = await asyncBufferFromFile(fileURLToPath(FILE));
  const metadata = await parquetMetadataAsync(file);
  return {
    rows: Number(metadata.num_rows),
    async *groups(limit) {
      let rowStart = 0;
      for (const group of metadata.row_groups) {
        const rowEnd = Math.min(limit, rowStart + Number(group.num_rows));
        if (rowStart >= rowEnd) return;
        const columns = new Map<string, ArrayLike<unknown>>();
        await parquetRead({
          file,
          metadata,
          compressors,
          rowStart,
          rowEnd,
          onChunk({ columnName, columnData }) {
            const before = columns.get(columnName);
            columns.set(columnName, before === undefined ? columnData : [...Array.from(before), ...Array.from(columnData)]);
          },
        });
        yield flightsOf(columns, rowEnd - rowStart);
        rowStart = rowEnd;
      }
    },
  };
};

function* flightsOf(columns: ReadonlyMap<string, ArrayLike<unknown>>, rows: number): Iterable<NewRecord<string, Flight>> {
  const [date, delay, distance, origin, destination] = ['date', 'delay', 'distance', 'origin', 'destination'].map((name) => columns.get(name) ?? []);
  for (let row = 0; row < rows; row++) {
    yield {
      key: String(origin![row]),
      value: { destination: String(destination![row]), delay: Number(delay![row]), distance: Number(distance![row]) },
      timestamp: Number(date![row]),
    };
  }
}
