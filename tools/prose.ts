/**
 * Measures how plain the comments and the test titles of a folder are.
 *
 * A comment is hard to read when it opens with a relative clause (`what`, `who`, `those`, `of` …) instead of a noun, and when
 * vague words replace the noun of the glossary. Both can be counted, and a count that may only fall keeps a rewritten folder
 * plain. Hono, XState, bbolt and TigerBeetle open 0–1 % of their comments in this way, and use 0.1–0.3 vague words per 100.
 *
 * The counts are no judge: a comment can pass and still say nothing. Code between backticks and indented examples are not
 * counted.
 */
import { commentsIn } from './mask.ts';
import { fragmentsIn } from './titles.ts';
import { isTest, type SourceFile } from './sources.ts';

export interface Prose {
  readonly comments: number;
  readonly words: number;
  /** The comments that open with a word of `OPENINGS`. */
  readonly openings: number;
  readonly vague: number;
  readonly titles: number;
  /** The test titles without a verb, or without a subject: see `titles.ts`. */
  readonly fragments: number;
  /** Every finding, as `path:line  words`. */
  readonly findings: readonly string[];
}

const OPENINGS = new Set(
  'what whatever who whose whom whoever which of it its that those these they them one ones nobody somebody everybody none such'.split(' '),
);
const VAGUE = /(?<![-'\w])(?:what|who|whoever|whatever|those|nobody|somebody|anew|by then|so many|told|lies|stands|goes on)(?![-\w])/gi;
/** Comments for a tool, not for a reader. */
const DIRECTIVE = /^(?:oxlint|eslint|@ts-|@vitest|#region|#endregion|v8 |prettier|\/ <reference)/;

export const proseOf = (files: readonly SourceFile[]): Prose => {
  const all = files.flatMap((file) => commentsOf(file.text).map((comment) => ({ ...comment, path: file.path })));
  const opened = all.filter(({ text }) => OPENINGS.has(firstWord(text)));
  const vague = all.flatMap((comment) => [...comment.text.matchAll(VAGUE)].map(([word]) => ({ ...comment, word })));
  const titles = files.filter(({ path }) => isTest(path) || path.includes('/contract/')).map(({ path, text }) => ({ path, ...fragmentsIn(text) }));
  const fragments = titles.flatMap((file) => file.fragments.map((fragment) => ({ ...fragment, path: file.path })));
  return {
    comments: all.length,
    words: all.reduce((sum, { text }) => sum + (text.match(/[\p{L}\d][\p{L}\d'’-]*/gu)?.length ?? 0), 0),
    openings: opened.length,
    vague: vague.length,
    titles: titles.reduce((sum, file) => sum + file.titles, 0),
    fragments: fragments.length,
    findings: [
      ...opened.map(({ path, line, text }) => `${path}:${line}  opens with '${firstWord(text)}': begin with a noun of the glossary, or a verb`),
      ...vague.map(({ path, line, word }) => `${path}:${line}  says '${word}': name the noun`),
      ...fragments.map(({ path, line, title }) => `${path}:${line}  is titled '${title}': write a sentence with a subject and a verb`),
    ],
  };
};

/** The comments of a source as text; line comments under each other are one comment. */
const commentsOf = (source: string): readonly { readonly line: number; readonly text: string }[] => {
  const found: { line: number; text: string; end: number; block: boolean }[] = [];
  let line = 1;
  let at = 0;
  for (const [from, to] of commentsIn(source)) {
    line += newlines(source.slice(at, from));
    at = from;
    const raw = source.slice(from, to);
    const block = raw.startsWith('/*');
    const text = (block ? raw.slice(2, -2).replace(/^\s*\*+ ?/gm, '') : raw.slice(2)).replace(/^ {3,}.*$/gm, '').replace(/`[^`]*`/g, '`');
    const above = found.at(-1);
    if (above !== undefined && !block && !above.block && source.slice(above.end, from).trim() === '' && newlines(source.slice(above.end, from)) === 1) {
      above.text += `\n${text}`;
      above.end = to;
    } else if (!DIRECTIVE.test(text.trim())) found.push({ line, text, end: to, block });
  }
  return found;
};

const newlines = (text: string): number => text.split('\n').length - 1;
const firstWord = (text: string): string => /^[^\p{L}\d`]*([\p{L}\d]+)/u.exec(text)?.[1]?.toLowerCase() ?? '';
