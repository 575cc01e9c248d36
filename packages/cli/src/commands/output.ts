/**
 * Where a command writes: results to standard output, everything said to a person to standard error.
 *
 * A reader that goes away (`| head`) is no error: the command ends as if it had been asked to.
 */
export interface Output {
  /** Writes to standard output; resolves when there is room for more, or nobody reads any more. */
  write(text: string): Promise<void>;
  /** A line on standard error. */
  say(line: string): void;
  /** Aborted when the reader of standard output has gone. */
  readonly gone: AbortSignal;
  /** Resolves when all is handed over. */
  flushed(): Promise<void>;
}

export const processOutput = (): Output => {
  const gone = new AbortController();
  const { stdout, stderr } = process;
  stdout.on('error', () => gone.abort());
  stderr.on('error', () => {});
  return {
    gone: gone.signal,
    write: (text) =>
      new Promise((resolve) => {
        if (gone.signal.aborted) return resolve();
        stdout.write(text, () => resolve());
      }),
    say: (line) => void stderr.write(`${line}\n`),
    flushed: async () => {
      for (const stream of [stdout, stderr]) if (!stream.destroyed) await new Promise<void>((resolve) => stream.write('', () => resolve()));
    },
  };
};
