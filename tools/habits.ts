/**
 * Patterns that files may not contain: words of the machine in pure/, calls that were seen to lose data, names that say
 * nothing. They are matched in the masked code: a comment may speak of `Date.now()`.
 */
import { lineAt, mask } from './mask.ts';
import { isForTests, type SourceFile, type Workspace } from './sources.ts';

interface Habit {
  readonly pattern: RegExp;
  readonly remedy: string;
}

const inPure: readonly Habit[] = [
  { pattern: /\bDate\.now\b|\bnew Date\(\s*\)|\bperformance\.now\b/g, remedy: 'pure/ has no clock; take the time as an argument' },
  { pattern: /\bMath\.random\b|\brandomUUID\b|\bgetRandomValues\b/g, remedy: 'pure/ has no chance; take the number or the id as an argument' },
  {
    pattern: /\b(?:setTimeout|setInterval|setImmediate|queueMicrotask)\b/g,
    remedy: 'pure/ has no timers; return an effect that says what is to happen when, and let shell/ do it',
  },
  {
    pattern: /(?<![.\w])(?:await|async)\b(?!\s*[:,=}?])|\bnew Promise\b|\bPromise\.\w/g,
    remedy: 'pure/ waits for nothing; return what is to be done, and let shell/ wait',
  },
  {
    pattern: /(?<![.\w])process\.(?:env|argv|cwd|exit|hrtime|nextTick|memoryUsage|on|versions)\b/g,
    remedy: 'pure/ knows no machine; take the value as an argument',
  },
];

/** Core alone has a door to lmdb. */
const inCore: readonly Habit[] = [
  {
    pattern: /\.(?:transaction|childTransaction)\(/g,
    remedy:
      'lmdb keeps half of a `transaction()` whose callback throws or whose thread ends (docs/internals); build the writes first, then use batch() or transactionSync()',
  },
];

export const habitProblems = ({ files }: Workspace): readonly string[] =>
  files.filter(({ path }) => path.startsWith('packages/') && !isForTests(path)).flatMap(problemsOf);

const problemsOf = (file: SourceFile): readonly string[] => {
  const code = mask(file.text);
  const isPure = /\/src\/(?:\w+\/)?pure\/|\/lmdb\/layout\//.test(file.path);
  const habits = [...(isPure ? inPure : []), ...(file.path.startsWith('packages/core/') ? inCore : [])];
  return habits.flatMap(({ pattern, remedy }) =>
    [...code.matchAll(pattern)].map((match) => `${file.path}:${lineAt(code, match.index)}  says '${match[0].trim()}': ${remedy}`),
  );
};

export const nameProblems = ({ files }: Workspace): readonly string[] =>
  files.flatMap(({ path }) => {
    const banned = path.split('/').find((part) => /^(?:utils?|types|helpers?|misc)(?:\.\w+)*\.ts$|^(?:common|internals?|utils?|helpers?)$/.test(part));
    return banned === undefined
      ? []
      : [`${path}:1  is called '${banned}', which says nothing: name it for what it does, and keep a type with the function that makes it`];
  });
