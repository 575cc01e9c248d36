/**
 * What it looks like when the system gives a process no more files.
 *
 * Node says it in several ways: by the code of a system error, in the text of its module loader, of a package's native part,
 * or of a thread that could not begin; and of an error that came by a port only the text is left. So the text counts, also
 * that of what caused it. Imports nothing: a thread that could load nothing else asks it.
 */
const SAID = /\b(?:EMFILE|ENFILE|STOPLOG_TOO_FEW_FILES)\b|too many open files/i;
/** Causes of causes: more than anybody nests, and an end to those that go round. */
const DEEPEST = 8;

/** True for what failed for want of files, as far down as its causes go. */
export const lacksFiles = (error: unknown): boolean => saidIn(error, SAID);
/** True when it is the whole machine that has no more. */
export const lacksFilesEverywhere = (error: unknown): boolean => saidIn(error, /\bENFILE\b/);

const saidIn = (error: unknown, text: RegExp): boolean =>
  causesOf(error).some((one) => text.test(`${(one as NodeJS.ErrnoException).code ?? ''} ${one.message}`));
/** What it all began with: the system's own words. */
export const firstCause = (error: Error): Error => causesOf(error).at(-1)!;
const causesOf = (error: unknown, depth = 0): readonly Error[] =>
  error instanceof Error && depth < DEEPEST ? [error, ...causesOf(error.cause, depth + 1)] : [];

/**
 * What a thread could not import although main could, as what it was: Node 20 takes a package's file that it cannot open for
 * one that is not there, and says that of the module, or that it is none.
 */
export const asUnread = (error: unknown): unknown =>
  error instanceof Error && !lacksFiles(error) && looksUnread(error)
    ? new Error(`too many open files, it seems, for main could load this: ${error.message}`)
    : error;

const looksUnread = (error: Error): boolean =>
  NOT_FOUND.has(`${(error as NodeJS.ErrnoException).code}`) ||
  (error.name === 'SyntaxError' && /outside a module|CommonJS module|token 'export'/.test(error.message));
const NOT_FOUND: ReadonlySet<string> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_UNSUPPORTED_DIR_IMPORT',
]);

/** What a thread exits with that could not load what it needs for want of files; who was still to begin in it learns no more than that. */
export const EXIT_LACKING_FILES = 24;
