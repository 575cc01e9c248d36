/**
 * Whether the map fits into the address space that this process may have (`ulimit -v`).
 *
 * LMDB does not survive a map that is refused: it dies of SIGSEGV, of which nobody can be told. So the limit is compared
 * before the map is made. Only Linux says what it is; elsewhere nobody limits address space.
 */
import { readFileSync } from 'node:fs';
import { StoplogError } from '../../pure/errors.ts';

/** 1 TiB of address space; what is used is what the file holds. */
export const DEFAULT_MAP_SIZE: number = 2 ** 40;

export const checkAddressSpace = (path: string, mapSize: number): void => {
  const limit = Number(read('/proc/self/limits', /^Max address space\s+(\d+)/m));
  const used = 1024 * Number(read('/proc/self/status', /^VmSize:\s+(\d+) kB/m));
  // More in use than the map is large: this process has it already, and all its threads share it.
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
