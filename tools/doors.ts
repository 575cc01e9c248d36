/**
 * The doors: each npm package that ships with ours is imported in one place, so that replacing a library touches one
 * folder. A folder ends in a slash, a file does not. Types count: what names a library's types depends on the library.
 */
import { packageOf } from './imports.ts';
import { isForTests, type Workspace } from './sources.ts';

const doors: Readonly<Record<string, readonly string[]>> = {
  lmdb: ['packages/core/src/lmdb/tables/env.ts'],
  zod: ['packages/core/src/pure/schema/'],
  '@standard-schema/spec': ['packages/core/src/pure/schema/'],
  msgpackr: ['packages/core/src/pure/schema/msgpack.ts'],
  vitest: ['packages/core/src/testing/', 'packages/runtime/src/testing/'],
  piscina: ['packages/runtime/src/shell/actors/threads.ts'],
  rxjs: ['packages/runtime/src/shell/flow/', 'packages/connectors/src/rxjs/'],
  '@platformatic/kafka': ['packages/connectors/src/kafka/client.ts'],
  'pretty-ms': ['packages/runtime/src/pure/console/quantity-text.ts'],
  'pretty-bytes': ['packages/runtime/src/pure/console/quantity-text.ts'],
  'cli-table3': ['packages/cli/src/text/columns.ts'],
  leven: ['packages/cli/src/text/suggest.ts'],
  'log-update': ['packages/cli/src/commands/status-row.ts'],
  tsx: ['packages/runtime/src/shell/'],
};
/** Libraries that one file alone may import, whichever it is. */
const oneFile = ['tsx'];

export const doorProblems = ({ files }: Workspace): readonly string[] => {
  const guests = files
    .filter((file) => file.path.startsWith('packages/') && !isForTests(file.path))
    .flatMap((file) =>
      file.imports.filter(({ specifier }) => isForeign(specifier)).map(({ specifier, line }) => ({ path: file.path, line, library: packageOf(specifier) })),
    );
  const wrongDoor = guests.flatMap(({ path, line, library }) => {
    const door = doors[library];
    if (door === undefined) return [`${path}:${line}  imports '${library}', which has no door: give it one file or folder in tools/doors.ts, or do without it`];
    if (door.some((place) => (place.endsWith('/') ? path.startsWith(place) : path === place))) return [];
    return [
      `${path}:${line}  imports '${library}', whose door is ${door.join(', ')}: import what you need from there, or add the missing function or type there`,
    ];
  });
  const tooMany = oneFile.flatMap((library) => {
    const paths = [...new Set(guests.filter((guest) => guest.library === library).map((guest) => guest.path))];
    return paths.length < 2 ? [] : [`${paths.join(', ')}  each import '${library}': keep it in one file, and import that`];
  });
  return [...wrongDoor, ...tooMany];
};

const isForeign = (specifier: string): boolean => !/^(\.|node:|@stoplog\/)/.test(specifier);
