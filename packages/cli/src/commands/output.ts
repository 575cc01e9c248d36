/**
 * The output of a command: results go to standard output, messages for a person to standard error.
 *
 * A reader that closes the pipe (`| head`) is not an error: the command ends as if Ctrl-C had been pressed. Any other failed
 * write is an error, a full disk above all: a command that exits with 0 has written all its results.
 */
import { fstatSync, writeSync } from 'node:fs';
import { StoplogError } from '@stoplog/core';

export interface Output {
  /** Writes to standard output; resolves when there is room for more, or the reader has gone. Rejects if the write fails. */
  write(text: string): Promise<void>;
  /** A line on standard error. */
  say(line: string): void;
  /** Aborted when the reader of standard output has gone, or a write has failed. */
  readonly gone: AbortSignal;
  /** Resolves when all output is written. Rejects if a write has failed. */
  flushed(): Promise<void>;
}

export const processOutput = (): Output => {
  const gone = new AbortController();
  let failure: StoplogError | undefined;
  const { stdout, stderr } = process;
  const fail = (error: NodeJS.ErrnoException): void => {
    if (!READER_HAS_GONE.has(error.code ?? '') && !gone.signal.aborted) failure = notWritten(error);
    gone.abort();
  };
  stdout.on('error', fail);
  stderr.on('error', () => {});
  const put = writerTo(stdout);
  return {
    gone: gone.signal,
    write: async (text) => {
      if (!gone.signal.aborted) await put(text).catch(fail);
      if (failure !== undefined) throw failure;
    },
    say: (line) => void stderr.write(`${line}\n`),
    flushed: async () => {
      for (const stream of [stdout, stderr]) if (!stream.destroyed) await new Promise<void>((resolve) => stream.write('', () => resolve()));
      if (failure !== undefined) throw failure;
    },
  };
};

/** The error codes of a stream whose reader has gone: of the first write and of later ones. */
const READER_HAS_GONE: ReadonlySet<string> = new Set(['EPIPE', 'ERR_STREAM_DESTROYED']);

const writerTo = (stream: NodeJS.WriteStream): ((text: string) => Promise<void>) => {
  const { fd } = stream as { readonly fd?: number };
  if (fd !== undefined && isFile(fd)) return async (text) => writeWhole(fd, Buffer.from(text));
  return (text) => new Promise((resolve, reject) => stream.write(text, (error) => (error ? reject(error) : resolve())));
};
const isFile = (fd: number): boolean => {
  // As bigints: Node's realpathSync reuses the numbers of the last fstat, and would resolve no link after that of a pipe; imports then fail.
  const stats = fstatSync(fd, { bigint: true });
  return stats.isFile() || (stats.isCharacterDevice() && !process.stdout.isTTY);
};
/** A disk that fills up accepts the first bytes of a write without an error, and Node's stream ignores the returned count. */
const writeWhole = (fd: number, bytes: Uint8Array): void => {
  for (let written = 0; written < bytes.length;) written += writeSync(fd, bytes, written);
};

const notWritten = (error: NodeJS.ErrnoException): StoplogError =>
  new StoplogError(
    'STOPLOG_OUTPUT',
    { code: error.code },
    `standard output cannot be written: ${error.message}. The output is incomplete: make room or write elsewhere, then run the command again`,
    { cause: error },
  );
