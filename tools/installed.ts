/**
 * Follows documents in a project outside this repository, with the packages as they would be published: writes the files that blocks name,
 * runs the commands of transcripts, and builds a Dockerfile as far as that goes without Docker.
 *
 *     <!-- installed -->                a transcript for a project of its own; transcripts under `replay` are run there, too
 *     <!-- installed after x.md -->     a transcript for the project that x.md made
 */
import { spawnSync } from 'node:child_process';
import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join } from 'node:path';
import { buildImage } from './image.ts';
import { agrees, exchangesOf, type Block } from './markdown.ts';

export interface Tarball {
  readonly name: string;
  readonly path: string;
}
export interface Guide {
  readonly path: string;
  readonly blocks: readonly Block[];
}

/** The path of the document whose project a document needs; its own path if it makes one, undefined if it needs none. */
export const projectOf = ({ path, blocks }: Guide): string | undefined => {
  const remark = blocks.map(({ remark = '' }) => /^installed(?: after (\S+))?$/.exec(remark)).find((found) => found !== null);
  return remark === undefined ? undefined : (remark[1] ?? path);
};

/** Programs that a project may start: `tarballs` in place of our packages, and those in `bins`. */
export interface Programs {
  readonly tarballs: readonly Tarball[];
  readonly bins: readonly string[];
}

export class Project implements Disposable {
  readonly #folder = mkdtempSync(join(tmpdir(), 'stoplog-installed-'));
  readonly #root = join(this.#folder, 'project');
  readonly #env: NodeJS.ProcessEnv;
  /** What the last command printed, as the document shows it. */
  #shown: readonly string[] = [];

  constructor({ tarballs, bins }: Programs) {
    const own = join(this.#folder, 'bin');
    for (const folder of [this.#root, own]) mkdirSync(folder);
    writeFileSync(join(own, 'npm'), npmWith(tarballs));
    chmodSync(join(own, 'npm'), 0o755);
    this.#env = { ...process.env, NO_COLOR: '1', PATH: [own, ...bins, dirname(process.execPath), process.env['PATH']].join(delimiter) };
  }

  /** Follows a document; returns the first failure, or undefined, and the lines of a Dockerfile that nothing checked. */
  follow({ path, blocks }: Guide): { readonly failure: string | undefined; readonly trusted: readonly string[] } {
    let trusted: readonly string[] = [];
    for (const block of blocks) {
      const failure =
        block.language === 'dockerfile'
          ? this.#build(block, (lines) => (trusted = lines))
          : block.language === 'console' && /^(installed|replay)\b/.test(block.remark ?? '')
            ? this.#replay(block)
            : this.#write(block);
      if (failure !== undefined) return { failure: `${path}:${failure}`, trusted };
    }
    return { failure: undefined, trusted };
  }

  #write({ text }: Block): undefined {
    const name = /^\/\/ ([\w./-]+\.\w+)\s*$/.exec(text.split('\n')[0]!)?.[1];
    if (name === undefined) return;
    mkdirSync(dirname(join(this.#root, name)), { recursive: true });
    writeFileSync(join(this.#root, name), text);
  }
  #replay(block: Block): string | undefined {
    for (const { command, line, output } of exchangesOf(block)) {
      const { status, printed } = this.#shell(command, this.#root);
      if (status !== 0 || !agrees(output, printed.split('\n')))
        return `${line}  \`${command}\` prints (exit ${status}):\n${printed}\n  the document shows:\n${output.join('\n')}`;
      this.#shown = output;
    }
    return undefined;
  }
  /** The program of an image is the one of the last transcript, and prints the same. */
  #build({ text, line }: Block, trust: (lines: readonly string[]) => void): string | undefined {
    const folder = join(this.#folder, 'image');
    let failed: string | undefined;
    const { command, trusted } = buildImage(text, this.#root, folder, join(this.#folder, 'volume'), (step) => {
      const { status, printed } = this.#shell(step, folder);
      if (status !== 0) failed ??= `${line}  \`${step}\` ended with ${status}:\n${printed}`;
    });
    trust(trusted);
    if (failed !== undefined) return failed;
    const { status, printed } = this.#shell(command.join(' '), folder);
    return status === 0 && agrees(this.#shown, printed.split('\n')) ? undefined : `${line}  the program of the image prints (exit ${status}):\n${printed}`;
  }
  #shell(command: string, cwd: string): { readonly status: number | null; readonly printed: string } {
    const { stdout, status } = spawnSync('bash', ['-c', `${command} 2>&1`], { cwd, env: this.#env, encoding: 'utf8', timeout: 240_000 });
    return { status, printed: stdout };
  }
  [Symbol.dispose](): void {
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** An npm that installs our tarballs where a document names our packages, along with the packages that they need. */
const npmWith = (tarballs: readonly Tarball[]): string => {
  const npm = spawnSync('bash', ['-c', 'command -v npm'], { encoding: 'utf8' }).stdout.trim();
  const paths = (...names: readonly string[]): string => names.map((name) => tarballs.find((one) => one.name === name)!.path).join(' ');
  return `#!/bin/bash
args=()
for arg in "$@"; do
  case "$arg" in
    stoplog) args+=(${paths('stoplog', '@stoplog/runtime', '@stoplog/core')}) ;;
    @stoplog/runtime) args+=(${paths('@stoplog/runtime', '@stoplog/core')}) ;;
    @stoplog/core) args+=(${paths('@stoplog/core')}) ;;
    *) args+=("$arg") ;;
  esac
done
npm_config_prefer_offline=true npm_config_audit=false npm_config_fund=false npm_config_update_notifier=false exec '${npm}' "\${args[@]}"
`;
};
