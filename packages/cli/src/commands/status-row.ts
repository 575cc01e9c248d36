/**
 * A status in the last row of a terminal, redrawn in place; other lines are printed above the row. Without a terminal, a status is
 * a line like any other.
 */
import type { createLogUpdate } from 'log-update';

export class StatusRow {
  readonly #stream: NodeJS.WriteStream;
  /** Undefined if the stream is not a terminal, or has no size. */
  readonly #row: ReturnType<typeof createLogUpdate> | undefined;
  #isShown = false;

  private constructor(stream: NodeJS.WriteStream, row: ReturnType<typeof createLogUpdate> | undefined) {
    this.#stream = stream;
    this.#row = row;
  }
  /** Loads the library that redraws only for a terminal with a size: on a terminal without rows it draws nothing. */
  static async on(stream: NodeJS.WriteStream): Promise<StatusRow> {
    if (stream.isTTY !== true || !(stream.rows > 0) || !(stream.columns > 0)) return new StatusRow(stream, undefined);
    const { createLogUpdate } = await import('log-update');
    return new StatusRow(stream, createLogUpdate(stream, { showCursor: true }));
  }

  get live(): boolean {
    return this.#row !== undefined;
  }
  show(text: string): void {
    if (this.#row === undefined) return this.say(text);
    this.#isShown = true;
    this.#row(text.slice(0, Math.max(10, this.#stream.columns - 1)));
  }
  /** Prints a line that stays. */
  say(line: string): void {
    if (this.#row === undefined || !this.#isShown) this.#stream.write(`${line}\n`);
    else this.#row.persist(line);
  }
  /** Keeps the last status, and moves the cursor below its row. */
  end(): void {
    if (this.#isShown) this.#row?.done();
    this.#isShown = false;
  }
}
