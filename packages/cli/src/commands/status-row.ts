/**
 * The last row of a terminal, redrawn in place; lines that are said meanwhile go above it. Elsewhere there is no such row,
 * and a status is a line like any other.
 */
import type { createLogUpdate } from 'log-update';

export class StatusRow {
  readonly #stream: NodeJS.WriteStream;
  /** Undefined where the stream is no terminal, or has no size. */
  readonly #row: ReturnType<typeof createLogUpdate> | undefined;
  #isShown = false;

  private constructor(stream: NodeJS.WriteStream, row: ReturnType<typeof createLogUpdate> | undefined) {
    this.#stream = stream;
    this.#row = row;
  }
  /** The library that redraws is loaded for a terminal only, and one that has a size: it draws nothing on a terminal of no rows. */
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
  /** A line that stays. */
  say(line: string): void {
    if (this.#row === undefined || !this.#isShown) this.#stream.write(`${line}\n`);
    else this.#row.persist(line);
  }
  /** Leaves the last status in its row, and puts the cursor below it. */
  end(): void {
    if (this.#isShown) this.#row?.done();
    this.#isShown = false;
  }
}
