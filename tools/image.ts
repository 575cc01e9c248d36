/**
 * Builds what a Dockerfile of one stage describes, without Docker: COPY copies from the project into a folder, RUN runs npm there, and
 * CMD is the program. The base image, users and other commands are taken on trust.
 */
import { cpSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';

export interface Image {
  /** The program and its arguments, with the path of the volume replaced by that of a folder. */
  readonly command: readonly string[];
  /** Instructions that nothing here checks. */
  readonly trusted: readonly string[];
}

/** `run` starts a shell command in `folder`, and throws where the command fails. */
export const buildImage = (dockerfile: string, project: string, folder: string, volume: string, run: (command: string) => void): Image => {
  for (const made of [folder, volume]) mkdirSync(made, { recursive: true });
  const trusted: string[] = [];
  let mount = '/';
  let command: readonly string[] = [];
  for (const line of dockerfile.split('\n').filter((text) => text.trim() !== '')) {
    const verb = line.slice(0, line.indexOf(' '));
    const rest = line.slice(verb.length + 1);
    if (verb === 'COPY') {
      const paths = rest.split(' ');
      for (const path of paths.slice(0, -1)) cpSync(join(project, path), join(folder, paths.at(-1)!.endsWith('/') ? path : paths.at(-1)!), { recursive: true });
    } else if (verb === 'RUN' && rest.startsWith('npm ')) run(rest);
    else if (verb === 'CMD') command = JSON.parse(rest) as readonly string[];
    else trusted.push(line);
    if (verb === 'VOLUME') mount = rest;
  }
  return { command: command.map((word) => (word.startsWith(`${mount}/`) ? volume + word.slice(mount.length) : word)), trusted };
};
