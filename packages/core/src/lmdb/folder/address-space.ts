/**
 * Checks that the map fits into the address space that this process may have (`ulimit -v`).
 *
 * LMDB does not survive a map that is refused: it dies of SIGSEGV, which cannot be reported. So the limit is compared
 * before the map is made. Only Linux shows the limit; elsewhere address space is rarely limited.
 */
import { readFileSync } from 'node:fs';
import { StoplogError } from '../../pure/errors.ts';

/** 1 TiB of address space; the file itself takes only the space of its contents. */
export const DEFAULT_MAP_SIZE: number = 2 ** 40;

export const checkAddressSpace = (path: string, mapSize: number): void => {
  const limit = Number(read('/proc/self/limits', /^Max address space\s+(\d+)/m));
  const used = 1024 * Number(read('/proc/self/status', /^VmSize:\s+(\d+) kB/m));
  // More in use than the map is large: this process has mapped the file already, and all its threads share the map.
  if (Number.isNaN(limit) || used >= mapSize || used + mapSize <= limit) return;
  throw new StoplogError(
    'STOPLOG_LOG_UNAVAILABLE',
    { path, mapSize, limit },
    `${path} is mapped at ${mapSize} bytes of address space, and this process may have ${limit}: raise the limit (ulimit -v unlimited), or open it with a smaller map, lmdb(path, { mapSize })`,
  );
};

const read = (file: string, pattern: RegExp): string | undefined => {
  try {
    return pattern.exec(readFileSync(file, 'latin1'))?.[1];
  } catch {
    return undefined;
  }
};
