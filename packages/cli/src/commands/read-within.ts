/** Reads a file of the command line up to a bound: a device or a pipe may be endless, and its size does not show that. */
import { closeSync, openSync, readSync } from 'node:fs';

const CHUNK_BYTES = 64 * 1024;

/** The text of the file; undefined when the file holds more than `limit` bytes. */
export const readWithin = (path: string, limit: number): string | undefined => {
  const file = openSync(path, 'r');
  try {
    const chunks: Buffer[] = [];
    for (let size = 0; size <= limit;) {
      const chunk = Buffer.allocUnsafe(CHUNK_BYTES);
      const read = readSync(file, chunk);
      if (read === 0) return Buffer.concat(chunks).toString('utf8');
      chunks.push(chunk.subarray(0, read));
      size += read;
    }
    return undefined;
  } finally {
    closeSync(file);
  }
};
