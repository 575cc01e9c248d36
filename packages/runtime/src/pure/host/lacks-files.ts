/**
 * Recognizes the errors of a process that may open no more files.
 *
 * Node reports this in several ways: by the code of a system error, in the text of its module loader, of a package's native part, or of a
 * thread that could not begin; and of an error that crossed a port only the text is left. So the text counts, and the texts of its
 * causes. This file imports nothing, so that a thread that can load nothing else can use it.
 */
const SAID = /\b(?:EMFILE|ENFILE|STOPLOG_TOO_FEW_FILES)\b|too many open files/i;
/** The depth to which causes are followed: deeper than anyone nests them, and an end for a cycle. */
const DEEPEST = 8;

/** True for an error that has the lack of files as itself or as a cause. */
export const lacksFiles = (error: unknown): boolean => saidIn(error, SAID);
/** True when the whole machine has no more files. */
export const lacksFilesEverywhere = (error: unknown): boolean => saidIn(error, /\bENFILE\b/);

const saidIn = (error: unknown, text: RegExp): boolean =>
  causesOf(error).some((one) => text.test(`${(one as NodeJS.ErrnoException).code ?? ''} ${one.message}`));
/** The innermost cause: the system's own words. */
export const firstCause = (error: Error): Error => causesOf(error).at(-1)!;
const causesOf = (error: unknown, depth = 0): readonly Error[] =>
  error instanceof Error && depth < DEEPEST ? [error, ...causesOf(error.cause, depth + 1)] : [];

/**
 * Restores the real cause when a thread could not import a file that the main thread could: Node 20 reports a package's file that it
 * cannot open as missing, or as no module.
 */
export const asUnread = (error: unknown): unknown =>
  error instanceof Error && !lacksFiles(error) && looksUnread(error)
    ? new Error(`probably too many open files, for the main thread could load this: ${error.message}`)
    : error;

const looksUnread = (error: Error): boolean =>
  (NOT_FOUND.has(`${(error as NodeJS.ErrnoException).code}`) && !isMissing(error)) ||
  (error.name === 'SyntaxError' && /outside a module|CommonJS module|token 'export'/.test(error.message));
/** Node finds a program's own module without opening a file. Only a package is found by a file that has to be read: its package.json. */
const isMissing = (error: Error): boolean => /^Cannot find module '(?!.*[\\/]node_modules[\\/])(?:[\\/]|file:|[A-Za-z]:)/.test(error.message);
const NOT_FOUND: ReadonlySet<string> = new Set([
  'ERR_MODULE_NOT_FOUND',
  'ERR_PACKAGE_IMPORT_NOT_DEFINED',
  'ERR_PACKAGE_PATH_NOT_EXPORTED',
  'ERR_UNSUPPORTED_DIR_IMPORT',
]);

/** Exit code of a thread that ran out of files while loading; tasks queued on the thread see only this code. */
export const EXIT_LACKING_FILES = 24;
