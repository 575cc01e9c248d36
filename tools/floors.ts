/**
 * The floors: an import goes down, or stays on its own floor in its own folder. Never up, never sideways between shells,
 * never into the sources of another package.
 *
 *     7   examples  benchmarks  reliability  tools     any package, by its exports
 *     6   cli/commands  cli/text                       the command, by the exports of core and runtime; text/ is pure
 *     5   runtime/shell        │ connectors/*          shells never import each other
 *     4   runtime/pure         │ connectors never import runtime
 *     3   core/lmdb                                    the only folder that imports lmdb
 *     2   core/client, core/failpoints                 append, read and produce over any log
 *         core/kit, core/tools, core/testing           entries: names from below, and logs for tests
 *     1   core/port                                    types only
 *     0   core/pure                                    nothing but itself
 */
import type { IForbiddenRuleType } from 'dependency-cruiser';
import { FOR_TESTS, TEST, type Package } from './sources.ts';

/** A rule of dependency-cruiser; the comment is the remedy. */
export type ImportRule = IForbiddenRuleType & { readonly name: string; readonly comment: string };

/** The floors of its own package that a floor may import, besides itself; an unlisted floor may import any. */
const below: Readonly<Record<string, readonly string[]>> = {
  'core/pure': [],
  'core/port': ['pure'],
  'core/failpoints': ['pure'],
  'core/client': ['pure', 'port', 'failpoints'],
  'core/lmdb': ['pure', 'port', 'client', 'failpoints'],
  'core/kit': ['pure', 'port', 'client'],
  'core/tools': ['pure', 'port', 'client'],
  'core/testing': ['pure', 'port'],
  'runtime/pure': [],
  'runtime/shell': ['pure'],
  'runtime/testing': ['pure'],
  'runtime/kit': ['pure', 'shell'],
  'cli/text': [],
  'cli/commands': ['text'],
  'cli/': ['commands'],
};
/** The other packages that a floor may import by name. */
const byName: Readonly<Record<string, readonly string[]>> = {
  'core/pure': [],
  'core/port': [],
  'core/failpoints': [],
  'core/client': [],
  'core/lmdb': [],
  'core/kit': [],
  'core/tools': [],
  'core/testing': [],
  'runtime/pure': ['@stoplog/core', '@stoplog/core/port', '@stoplog/core/kit', '@stoplog/core/tools'],
  'runtime/shell': [
    '@stoplog/core',
    '@stoplog/core/port',
    '@stoplog/core/kit',
    '@stoplog/core/tools',
    '@stoplog/core/lmdb',
    '@stoplog/core/private/failpoints',
  ],
  'runtime/testing': ['@stoplog/core', '@stoplog/core/port', '@stoplog/core/kit', '@stoplog/core/testing'],
  'runtime/': ['@stoplog/core', '@stoplog/core/port', '@stoplog/core/kit'],
  'runtime/kit': [],
  'cli/text': ['@stoplog/core', '@stoplog/core/port', '@stoplog/core/kit', '@stoplog/core/tools', '@stoplog/runtime', '@stoplog/runtime/kit'],
  'cli/commands': [
    '@stoplog/core',
    '@stoplog/core/port',
    '@stoplog/core/kit',
    '@stoplog/core/tools',
    '@stoplog/core/lmdb',
    '@stoplog/runtime',
    '@stoplog/runtime/kit',
  ],
  connectors: ['@stoplog/core', '@stoplog/core/port', '@stoplog/core/kit'],
};

const remedy: Readonly<Record<string, string>> = {
  pure: 'pure/ decides and takes what it needs as an argument; move this file to shell/, or hand the value in from there',
  port: 'port/ says what a keeper of logs promises, in types; move what runs to pure/ or shell/',
  shell: 'a shell stands alone above the port; move what both need down to pure/ or port/',
  text: 'text/ turns values into words; take the value as an argument, or move this file to commands/',
  commands: 'a command stands on the exports of core and runtime; export there what is missing',
  kit: 'kit/ hands on what the command line needs; move what it needs itself to shell/',
  testing: 'testing/ is for the users of a package and starts nothing; take it from pure/, or from the entry @stoplog/core/kit',
};

/** The rules for a workspace with these packages. */
export const floorRules = (packages: readonly Package[]): readonly ImportRule[] => [
  ...Object.entries(below).flatMap(([floor, others]) => floorRule(floor, others)),
  ...Object.entries(byName).map(([floor, entries]) => entryRule(floor, entries, packages)),
  {
    name: 'no such entry',
    comment: `its package.json exports no such entry; import one of ${packages.flatMap((one) => [...one.exports.keys()]).join(', ')}`,
    from: {},
    to: { path: '^@stoplog/', couldNotResolve: true },
  },
  {
    name: "another package's sources",
    comment: 'never into the sources of another package; import it by its name, and export there what is missing',
    from: { path: '^packages/([^/]+)/' },
    to: { path: '^packages/[^/]+/src/', pathNot: '^packages/$1/' },
  },
  {
    name: "a package's sources",
    comment: 'never into the sources of another package; import it by its name, and export there what is missing',
    from: { path: '^(examples|benchmarks|reliability|tools)/' },
    to: { path: '^packages/[^/]+/src/' },
  },
  { name: 'a test', comment: 'a test imports another test; move what both need to a file in fixtures/', from: { path: FOR_TESTS }, to: { path: TEST } },
  {
    name: 'a fixture',
    comment: 'a test or a fixture is imported; move what is needed to a file of its own',
    from: { pathNot: FOR_TESTS },
    to: { path: FOR_TESTS },
  },
  {
    name: 'another connector',
    comment: 'connectors never import each other; move what both need to @stoplog/core/kit',
    from: { path: '^packages/connectors/src/([^/]+)/', pathNot: FOR_TESTS },
    to: { path: '^packages/connectors/src/', pathNot: '^packages/connectors/src/$1/' },
  },
  {
    name: 'the machine',
    comment: `pure/ knows no machine; ${remedy['pure']!}`,
    from: { path: PURE, pathNot: `${FOR_TESTS}|${CRC}` },
    to: { dependencyTypes: ['core'] },
  },
  {
    name: 'the machine, but for its CRC',
    comment: `pure/ knows no machine; ${remedy['pure']!}`,
    from: { path: CRC },
    to: { dependencyTypes: ['core'], pathNot: '^(node:)?zlib$' },
  },
  {
    name: 'code in port/',
    comment: 'port/ holds types only; write `import type`, and move what runs to pure/ or shell/',
    from: { path: '^packages/core/src/port/', pathNot: FOR_TESTS },
    to: { dependencyTypesNot: ['type-only', 'type-import'] },
  },
  {
    name: 'threads',
    comment: `testing/ starts no thread; ${remedy['testing']!}`,
    from: { path: '^packages/[^/]+/src/testing/', pathNot: FOR_TESTS },
    to: { path: '^(node:)?worker_threads$' },
  },
  ...ROOMS.map(([room, above]): ImportRule => ({
    name: `rooms of lmdb: ${room}`,
    comment: `${room}/ is below ${above.join('/, ')}/ in lmdb; move what both need to ${room}/ or further down`,
    from: { path: `^packages/core/src/lmdb/${room}/`, pathNot: FOR_TESTS },
    to: { path: `^packages/core/src/lmdb/(${above.join('|')})/` },
  })),
];

const PURE = ['/src/pure/', '/src/\\w+/pure/', '/lmdb/layout/', '^packages/cli/src/text/'];
const CRC = '^packages/core/src/pure/bytes/checksum\\.ts$';

/** The rooms of core/lmdb from the lowest up; rooms on one floor import neither each other nor the rooms above. */
const ROOM_FLOORS: readonly (readonly string[])[] = [
  ['layout'],
  ['folder'],
  ['tables'],
  ['transaction'],
  ['cleaner', 'doctor'],
  ['writer'],
  ['copy'],
  ['admin'],
];
const ROOMS = ROOM_FLOORS.flatMap((rooms, i) =>
  rooms.map((room) => [room, [...rooms.filter((other) => other !== room), ...ROOM_FLOORS.slice(i + 1).flat()]] as const),
).filter(([, above]) => above.length > 0);

/** The files of a floor: a folder below src/, the files beside those folders where the floor has no name, or a whole package. */
const filesOf = (floor: string): string => {
  const [name, folder] = floor.split('/');
  if (folder === undefined) return `^packages/${name}/src/`;
  return folder === '' ? `^packages/${name}/src/[^/]+$` : `^packages/${name}/src/${folder}/`;
};
const remedyOf = (floor: string): string => remedy[floor.split('/')[1] ?? ''] ?? 'move what is needed down';

const floorRule = (floor: string, others: readonly string[]): readonly ImportRule[] => {
  const [name, folder] = floor.split('/');
  const allowed = [floor, ...others.map((other) => `${name}/${other}`)].map(filesOf);
  return [
    {
      name: floor,
      comment: `${folder}/ does not reach up to other floors than ${others.length === 0 ? 'its own' : others.map((other) => `${other}/`).join(', ')}; ${remedyOf(floor)}`,
      from: { path: filesOf(floor), pathNot: FOR_TESTS },
      // Fixtures have a rule of their own.
      to: { path: `^packages/${name}/src/`, pathNot: `${allowed.join('|')}|${FOR_TESTS}` },
    },
  ];
};
const entryRule = (floor: string, entries: readonly string[], packages: readonly Package[]): ImportRule => {
  const built = packages.flatMap(({ exports }) => entries.flatMap((entry) => exports.get(entry) ?? [])).map((path) => builtOf(path));
  return {
    name: `entries for ${floor}`,
    comment: `${floor} imports ${entries.length === 0 ? 'no other entry' : `only ${entries.join(', ')}`}; ${remedyOf(floor)}`,
    from: { path: filesOf(floor), pathNot: FOR_TESTS },
    to: { path: '^packages/[^/]+/dist/', ...(built.length === 0 ? {} : { pathNot: `^(${built.join('|')})$` }) },
  };
};
const builtOf = (source: string): string => source.replace('/src/', '/dist/').replace(/\.ts$/, '\\.(js|d\\.ts)');
