/** The size of a log, in rows for people and as data for programs. */
import type { Usage } from '@stoplog/core/tools';
import { grouped } from '@stoplog/runtime/kit';
import { columns } from './columns.ts';

export const usageLines = (log: string, { fileBytes, liveBytes, freePages, pageBytes, tables }: Usage): string => {
  const head = [
    ['log', log],
    ['file', `${grouped(fileBytes)} bytes`],
    ['in use', `${grouped(liveBytes)} bytes, ${fileBytes === 0 ? 100 : Math.round((liveBytes / fileBytes) * 100)} %`],
    ['free', `${grouped(freePages)} ${freePages === 1 ? 'page' : 'pages'} of ${grouped(pageBytes)} bytes, which later commits use again`],
  ];
  const rows = [['TABLE', 'ENTRIES', 'BYTES'], ...tables.map(({ table, entries, bytes }) => [table, grouped(entries), grouped(bytes)])];
  return [...columns(head), '', ...columns(rows, [1, 2])].map((line) => `${line}\n`).join('');
};
