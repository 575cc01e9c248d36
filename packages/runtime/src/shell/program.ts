/**
 * The version of a program: what the functions of its pipeline are, as far as it can be told.
 *
 * The fingerprint of a pipeline holds no functions, so that a correction keeps its stores. Two processes of one group with other functions
 * would mix their results without a word. So each process names its version: the one that it was given, or else a hash of the pipeline's file
 * and of the files that it imports by relative paths. Packages are not part of it.
 */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** `1.4.2`, or twelve hex digits; 'unknown' for a module that is not a file. */
export const versionOf = (url: string, given: string | undefined): string => given ?? hashOf(url) ?? 'unknown';

const hashOf = (url: string): string | undefined => {
  const hash = createHash('sha256');
  const seen = new Set<string>();
  const queue = [url.split(/[?#]/)[0]!];
  for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
    // TypeScript is imported by the name of its compiled file.
    const text = textOf(next) ?? textOf(next.replace(/\.([cm]?)js$/, '.$1ts'));
    if (text === undefined) {
      // A relative import may be resolved in a way of a loader's own: what cannot be read is left out.
      if (seen.size === 0) return undefined;
      continue;
    }
    seen.add(next);
    hash.update(text).update('\0');
    for (const [, path] of text.matchAll(IMPORTED)) {
      const target = new URL(path!, next).href;
      if (!seen.has(target) && !queue.includes(target)) queue.push(target);
    }
  }
  return hash.digest('hex').slice(0, 12);
};
/** `from './x.ts'`, `import './x.ts'`, `import('./x.ts')`, `require('./x.js')`. */
const IMPORTED = /(?:from|import|require)\s*\(?\s*['"](\.{1,2}\/[^'"]+)['"]/g;

const textOf = (url: string): string | undefined => {
  try {
    return readFileSync(fileURLToPath(url), 'utf8');
  } catch {
    return undefined;
  }
};
