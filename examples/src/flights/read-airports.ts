/** The airports of the United States from the CSV file that comes with `vega-datasets`, by their codes. */
import { readFile } from 'node:fs/promises';
import type { NewRecord } from '@stoplog/core';
import type { Airport } from './topics.ts';

const FILE = new URL('../data/airports.csv', import.meta.resolve('vega-datasets'));

/** Time zero: of a task's inputs the oldest record goes first, so the table is complete before the first flight. */
const BEFORE_ALL_FLIGHTS = 0;

export const readAirports = async (): Promise<readonly NewRecord<string, Airport>[]> => {
  const [, ...lines] = (await readFile(FILE, 'utf8')).trimEnd().split('\n');
  return lines.map((line) => {
    const [code = '', name = '', city = '', state = '', country = ''] = fieldsOf(line);
    return { key: code, value: { name, city, state, country }, timestamp: BEFORE_ALL_FLIGHTS };
  });
};

/** A field that holds a comma is in quotes, and a quote in it is doubled. */
const fieldsOf = (line: string): readonly string[] =>
  [...line.matchAll(/(?:^|,)(?:"((?:[^"]|"")*)"|([^,]*))/g)].map(([, quoted, plain = '']) => quoted?.replaceAll('""', '"') ?? plain);
