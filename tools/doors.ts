/**
 * The doors: each npm package that ships with ours is imported in one place, so that replacing a library touches one folder.
 * A folder ends in a slash, a file does not. Types count: code that names a library's types depends on the library.
 */
import type { ImportRule } from './floors.ts';
import { FOR_TESTS } from './sources.ts';

const doors: Readonly<Record<string, readonly string[]>> = {
  lmdb: ['packages/core/src/lmdb/tables/env.ts'],
  zod: ['packages/core/src/pure/schema/'],
  '@standard-schema/spec': ['packages/core/src/pure/schema/'],
  msgpackr: ['packages/core/src/pure/schema/msgpack.ts'],
  vitest: ['packages/core/src/testing/', 'packages/runtime/src/testing/'],
  piscina: ['packages/runtime/src/shell/actors/threads.ts'],
  rxjs: ['packages/runtime/src/shell/status/', 'packages/connectors/src/rxjs/'],
  pg: ['packages/connectors/src/sql/postgres/client.ts'],
  'better-sqlite3': ['packages/connectors/src/sql/sqlite/client.ts'],
  '@platformatic/kafka': ['packages/connectors/src/kafka/client.ts'],
  'pretty-ms': ['packages/runtime/src/pure/console/quantity-text.ts'],
  'pretty-bytes': ['packages/runtime/src/pure/console/quantity-text.ts'],
  'cli-table3': ['packages/cli/src/text/columns.ts'],
  leven: ['packages/cli/src/text/suggest.ts'],
  'log-update': ['packages/cli/src/commands/status-row.ts'],
  tsx: ['packages/runtime/src/shell/typescript.ts'],
};

const pathOf = (library: string): string => `(^|/node_modules/)${library}(/|$)`;
const inDoor = (door: readonly string[]): string => door.map((place) => (place.endsWith('/') ? `^${place}` : `^${place}$`)).join('|');

export const doorRules = (): readonly ImportRule[] => [
  ...Object.entries(doors).map(([library, door]): ImportRule => ({
    name: `the door of ${library}`,
    comment: `the door of '${library}' is ${door.join(', ')}: import what you need from there, or add the missing function or type there`,
    from: { path: '^packages/', pathNot: `${inDoor(door)}|${FOR_TESTS}` },
    to: { path: pathOf(library) },
  })),
  {
    name: 'a library without a door',
    comment: 'the library has no door: give it one file or folder in tools/doors.ts, or do without it',
    from: { path: '^packages/', pathNot: FOR_TESTS },
    to: {
      path: '^[^.]',
      pathNot: ['^(packages|examples|benchmarks|reliability|tools)/', '^@stoplog/', ...Object.keys(doors).map(pathOf)].join('|'),
      dependencyTypesNot: ['core'],
    },
  },
];
