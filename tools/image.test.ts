import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { buildImage } from './image.ts';

test('an image holds the files that it copies, and runs its command on the volume', () => {
  const folder = mkdtempSync(join(tmpdir(), 'stoplog-image-'));
  try {
    const project = join(folder, 'project');
    mkdirSync(join(project, 'dist'), { recursive: true });
    for (const file of ['dist/main.js', 'package.json', 'secret']) writeFileSync(join(project, file), '');
    const ran: string[] = [];
    const image = buildImage(
      [
        'FROM node:24',
        'WORKDIR /app',
        'COPY package.json ./',
        'RUN npm ci --omit=dev',
        'COPY dist dist',
        'RUN install -d /data',
        'VOLUME /data',
        'CMD ["node", "dist/main.js", "/data/log"]',
      ].join('\n'),
      project,
      join(folder, 'image'),
      join(folder, 'mnt'),
      (command) => ran.push(`${command}: ${readdirSync(join(folder, 'image')).join()}`),
    );
    expect(ran).toEqual(['npm ci --omit=dev: package.json']);
    expect(readdirSync(join(folder, 'image'), { recursive: true })).toEqual(['dist', 'package.json', 'dist/main.js']);
    expect(image.command).toEqual(['node', 'dist/main.js', join(folder, 'mnt/log')]);
    expect(image.trusted).toEqual(['FROM node:24', 'WORKDIR /app', 'RUN install -d /data', 'VOLUME /data']);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
