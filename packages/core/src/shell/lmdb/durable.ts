/** Files and folders that are on the disk before anything is built on them: a rename survives a power cut only with its folder. */
import { closeSync, fsyncSync, openSync, writeSync } from 'node:fs';

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

/** A new file, which nobody else has put there, for its owner alone. */
export const writeNew = (path: string, text: string): void => {
  const fd = openSync(path, 'wx', 0o600);
  try {
    writeSync(fd, text);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
};
