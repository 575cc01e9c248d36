/**
 * Three million flights of 2001 from the Parquet file that comes with `vega-datasets`, a row group at a time.
 *
 * Parquet keeps columns apart and cuts them into groups of rows, here of 272,727. One group is in memory at any time,
 * as five arrays; a flight is made of them when it is asked for. Whole numbers are 64 bits wide in the file, so they
 * come as BigInt; these all fit a number.
 */
import { fileURLToPath } from 'node:url';
import type { NewRecord } from '@stoplog/core';
import { asyncBufferFromFile, parquetMetadataAsync, parquetReadColumn } from 'hyparquet';
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
  const column = async (name: string, rowStart: number, rowEnd: number): Promise<ArrayLike<unknown>> =>
    parquetReadColumn({ file, metadata, compressors, columns: [name], rowStart, rowEnd });

  return {
    rows: Number(metadata.num_rows),
    async *groups(limit) {
      let start = 0;
      for (const group of metadata.row_groups) {
        const end = Math.min(limit, start + Number(group.num_rows));
        if (start >= end) return;
        const [date, delay, distance, origin, destination] = await Promise.all(COLUMNS.map((name) => column(name, start, end)));
        yield flightsOf({ date: date!, delay: delay!, distance: distance!, origin: origin!, destination: destination! });
        start = end;
      }
    },
  };
};

const COLUMNS = ['date', 'delay', 'distance', 'origin', 'destination'] as const;
type Columns = Readonly<Record<(typeof COLUMNS)[number], ArrayLike<unknown>>>;

function* flightsOf({ date, delay, distance, origin, destination }: Columns): Iterable<NewRecord<string, Flight>> {
  for (let i = 0; i < date.length; i++) {
    yield {
      key: String(origin[i]),
      value: { destination: String(destination[i]), delay: Number(delay[i]), distance: Number(distance[i]) },
      timestamp: Number(date[i]),
    };
  }
}
