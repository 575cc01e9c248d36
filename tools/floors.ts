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
import { posix } from 'node:path';
import { packageOf, type Import } from './imports.ts';
import { isForTests, isTest, type Package, type SourceFile, type Workspace } from './sources.ts';

interface Place {
  /** `core`, `runtime`, `connectors`, or the name of a folder outside packages/ */
  readonly unit: string;
  /** The first folder below src/: `pure`, `port`, `client`, `lmdb`, `shell`, `testing`, a connector's name; '' for the entry itself. */
  readonly floor: string;
}

/** Which floors of its own package a floor may import; itself is understood, anything is allowed where nothing is said. */
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
/** Which other packages a floor may import by name. */
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

export const floorProblems = ({ files, packages }: Workspace): readonly string[] =>
  files.flatMap((file) =>
    file.imports.flatMap((what) => {
      const why = refusal(file, what, packages);
      return why === undefined ? [] : [`${file.path}:${what.line}  imports '${what.specifier}': ${why}`];
    }),
  );

const refusal = (file: SourceFile, what: Import, packages: readonly Package[]): string | undefined => {
  const from = placeOf(file.path);
  const floor = from.unit === 'connectors' ? 'connectors' : `${from.unit}/${from.floor}`;
  if (what.specifier.startsWith('.')) {
    const target = posix.join(posix.dirname(file.path), what.specifier);
    const to = placeOf(target);
    if (to.unit !== from.unit) return 'never into the sources of another package; import it by its name, and export there what is missing';
    if (isForTests(file.path)) return isTest(target) ? 'a test imports another test; move what both need to a file in fixtures/' : undefined;
    if (isForTests(target)) return 'a test or a fixture is imported; move what is needed to a file of its own';
    if (from.unit === 'connectors') return to.floor === from.floor ? undefined : 'connectors never import each other; move what both need to @stoplog/core/kit';
    if (to.floor === from.floor || below[floor] === undefined) return floor === 'core/port' ? portRefusal(what) : undefined;
    if (!below[floor].includes(to.floor))
      return `${from.floor}/ does not reach up to ${to.floor === '' ? 'the entry of its package' : `${to.floor}/`}; ${remedy[from.floor] ?? ''}`;
    return floor === 'core/port' ? portRefusal(what) : undefined;
  }
  if (packageOf(what.specifier).startsWith('@stoplog/')) {
    const exported = packages.some((one) => one.exports.has(what.specifier));
    if (!exported) return `its package.json exports no such entry; import one of ${packages.flatMap((one) => [...one.exports.keys()]).join(', ')}`;
    if (isForTests(file.path)) return undefined;
    const allowed = byName[floor];
    if (allowed !== undefined && !allowed.includes(what.specifier))
      return `${floor} imports ${allowed.length === 0 ? 'no other entry' : `only ${allowed.join(', ')}`}; ${remedy[from.floor] ?? 'move what is needed down'}`;
    return undefined;
  }
  if (isForTests(file.path) || !what.specifier.startsWith('node:')) return undefined; // other packages: doors.ts
  if (from.floor === 'pure' || floor === 'cli/text' || /\/pure\/|\/lmdb\/layout\//.test(file.path)) {
    return what.specifier === 'node:zlib' && file.path === 'packages/core/src/pure/bytes/checksum.ts'
      ? undefined
      : `pure/ knows no machine; ${remedy['pure']!}`;
  }
  if (floor === 'core/port') return portRefusal(what);
  if (from.floor === 'testing' && what.specifier === 'node:worker_threads') return `testing/ starts no thread; ${remedy['testing']!}`;
  return undefined;
};

const portRefusal = (what: Import): string | undefined =>
  what.kind === 'type' ? undefined : `port/ holds types only; write \`import type\`, and move what runs to pure/ or shell/`;

const placeOf = (path: string): Place => {
  const [top, name, , first, ...rest] = path.split('/');
  if (top !== 'packages') return { unit: top!, floor: '' };
  return { unit: name!, floor: rest.length === 0 ? '' : first! };
};
