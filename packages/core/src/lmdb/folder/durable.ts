/** Makes files and folders durable before they are used: a rename survives a power cut only with its folder. */
import { closeSync, existsSync, fsyncSync, mkdirSync, openSync, writeSync } from 'node:fs';
import { dirname, resolve } from 'node:path';

export const syncFile = (path: string): void => {
  const fd = openSync(path, 'r');
  try {
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};

/** Some systems do not let a folder be flushed, and keep the order by themselves. */
export const syncFolder = (path: string): void => {
  try {
    syncFile(path);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EISDIR' && code !== 'EPERM' && code !== 'EINVAL') throw error;
  }
};

/**
 * Makes a folder and its missing parents, for their owner alone, one after the other: Node's own recursive way never
 * returns where a folder cannot be made inside an existing one, as in /proc.
 */
export const makeFolder = (path: string): void => {
  const missing: string[] = [];
  for (let at = resolve(path); !existsSync(at); at = dirname(at)) missing.unshift(at);
  for (const folder of missing) {
    try {
      mkdirSync(folder, { mode: 0o700 });
    } catch (error) {
      // Another process may have made it in between.
      if ((error as NodeJS.ErrnoException).code !== 'EEXIST' || !existsSync(folder)) throw error;
    }
    syncFolder(dirname(folder));
  }
};

/** Creates a file that must not exist yet, for its owner alone. */
export const writeNew = (path: string, text: string): void => {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};
