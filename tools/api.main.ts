/**
 * Writes `packages/<name>/api.txt`: the exports of each entry of a package, as the compiler emitted them. The file is in git,
 * so that a change of the API is a difference that a reviewer reads.
 *
 *     pnpm api          writes the reports
 *     pnpm api:check    fails when one differs
 */
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Extractor, ExtractorConfig, ExtractorLogLevel } from '@microsoft/api-extractor';
import { readWorkspace, type Package } from './sources.ts';

const root = fileURLToPath(new URL('../..', import.meta.url));
const silent = { default: { logLevel: ExtractorLogLevel.None } };
/**
 * Our own, because the extractor brings an older compiler than ours; `dom` because it loses sight of node's AbortSignal
 * without it.
 */
const compilerOptions = {
  target: 'es2022',
  module: 'nodenext',
  lib: ['es2023', 'esnext.disposable', 'dom'],
  types: ['node'],
  strict: true,
  skipLibCheck: true,
};

const declarationsOf = (folder: string, entry: string): string => {
  const reportFolder = join(root, '.cache/api');
  mkdirSync(reportFolder, { recursive: true });
  const config = ExtractorConfig.prepare({
    packageJsonFullPath: join(folder, 'package.json'),
    configObjectFullPath: undefined,
    configObject: {
      projectFolder: folder,
      mainEntryPointFilePath: entry,
      compiler: { overrideTsconfig: { compilerOptions, files: [entry] } },
      apiReport: { enabled: true, includeForgottenExports: true, reportFolder, reportTempFolder: reportFolder, reportFileName: 'report.api.md' },
      docModel: { enabled: false },
      dtsRollup: { enabled: false },
      messages: { compilerMessageReporting: silent, extractorMessageReporting: silent, tsdocMessageReporting: silent },
    },
  });
  Extractor.invoke(config, { localBuild: true, messageCallback: (message) => (message.handled = true) });
  const report = readFileSync(join(reportFolder, 'report.api.md'), 'utf8').replace(/\r/g, '');
  return report.slice(report.indexOf('```ts\n') + 6, report.lastIndexOf('```'));
};

/** The extractor's marks say which exports are documented; this report does not need them. */
const plain = (declarations: string): string =>
  declarations
    .replace(/^ *\/\/ (?:@\w+|\(undocumented\)|Warning:|\(No @).*\n/gm, '')
    .replace(/\n{3,}/g, '\n\n')
    .trim();

const reportOf = ({ name, folder, exports }: Package): string => {
  // A private entry promises nothing, and has no report.
  const open = [...exports].filter(([entry]) => !entry.includes('/private/'));
  const parts = open.map(([entry, source]) => {
    const built = join(root, source.replace('/src/', '/dist/').replace(/\.ts$/, '.d.ts'));
    if (!existsSync(built)) throw new Error(`'${entry}' is not built, ${built} is missing: run \`pnpm build\``);
    const declarations = plain(declarationsOf(join(root, folder), built))
      .replace(/^export \{ ?\}$/m, '')
      .trim();
    return `${'='.repeat(100)}\n${entry}\n${'='.repeat(100)}\n\n${declarations === '' ? '(nothing yet)' : declarations}\n`;
  });
  return `What ${name} exports, by entry. Written by \`pnpm api\`: a difference here is a change of the API.\n\n${parts.join('\n')}`;
};

const checking = process.argv.includes('--check');
const differing = readWorkspace(root)
  .packages.filter(({ exports }) => exports.size > 0)
  .flatMap((one) => {
    const path = join(one.folder, 'api.txt');
    const report = reportOf(one);
    if (report === read(path)) return [];
    if (!checking) writeFileSync(join(root, path), report);
    return [{ path, line: firstDifference(report, read(path)) }];
  });
for (const { path, line } of differing) {
  console.log(
    checking ? `${path}:${line}  differs from what the package exports now: run \`pnpm api\`, read the difference, and commit it` : `${path} written`,
  );
}
if (checking && differing.length > 0) process.exitCode = 1;

function read(path: string): string {
  try {
    return readFileSync(join(root, path), 'utf8');
  } catch {
    return '';
  }
}
function firstDifference(one: string, other: string): number {
  const [a, b] = [one.split('\n'), other.split('\n')];
  return a.findIndex((line, i) => line !== b[i]) + 1;
}
