/**
 * Finds the imports of a source file without a compiler: the code is masked first, so that an import in a comment or in a
 * string does not count, and then four forms are left to look for.
 *
 *     import … from 'x'    export … from 'x'    import 'x'      static; with `type` right after the keyword: types only
 *     import('x')                                               dynamic; `import('x').Name` and `typeof import('x')` are types
 *     './worker.js'        in a string                          a module named by its address: a thread's entry, a lazy part
 */
import { lineAt, mask } from './mask.ts';

export interface Import {
  readonly specifier: string;
  readonly line: number;
  /** `value` runs when the module loads, `dynamic` when it is reached, `address` in another thread; `type` never. */
  readonly kind: 'value' | 'type' | 'dynamic' | 'address';
  /** The statement exports its imports again. */
  readonly reExport: boolean;
}

const statement = /(?<![\w$.])(import|export)\s+(type\s+(?!from\b)|type\s*(?=[{*]))?((?:[\w$\s,*]|\{[^{}]*\})*?)\s*\bfrom\s*(['"])/g;
const bare = /(?<![\w$.])import\s*(['"])/g;
const call = /(typeof\s+)?(?<![\w$.])import\s*\(\s*(['"])/g;
const quoted = /(['"])\s*\1/g;

export const importsOf = (source: string): readonly Import[] => {
  const code = mask(source);
  const found: Import[] = [];
  const taken = new Set<number>();
  const add = (quoteAt: number, start: number, kind: Import['kind'], reExport = false): void => {
    taken.add(quoteAt);
    found.push({ specifier: textAt(source, code, quoteAt), line: lineAt(source, start), kind, reExport });
  };
  for (const match of code.matchAll(statement)) {
    add(match.index + match[0].length - 1, match.index, match[2] === undefined ? 'value' : 'type', match[1] === 'export');
  }
  for (const match of code.matchAll(bare)) add(match.index + match[0].length - 1, match.index, 'value');
  for (const match of code.matchAll(call)) {
    const quoteAt = match.index + match[0].length - 1;
    const after = code.slice(closingQuote(code, quoteAt) + 1);
    add(quoteAt, match.index, match[1] !== undefined || /^\s*\)\s*\.\s*[A-Z]/.test(after) ? 'type' : 'dynamic');
  }
  for (const match of code.matchAll(quoted)) {
    if (taken.has(match.index)) continue;
    if (/^\.\.?\/.*\.[jt]s$/.test(textAt(source, code, match.index))) add(match.index, match.index, 'address');
  }
  return found.sort((a, b) => a.line - b.line);
};

/** `lmdb` of `lmdb`, `@stoplog/core` of `@stoplog/core/port`, `node:fs` of `node:fs/promises`. */
export const packageOf = (specifier: string): string => {
  const parts = specifier.split('/');
  return specifier.startsWith('@') ? parts.slice(0, 2).join('/') : parts[0]!;
};

const closingQuote = (code: string, quoteAt: number): number => code.indexOf(code[quoteAt]!, quoteAt + 1);
const textAt = (source: string, code: string, quoteAt: number): string => source.slice(quoteAt + 1, closingQuote(code, quoteAt));
