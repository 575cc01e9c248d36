/**
 * The last row of a terminal, redrawn in place; lines that are said meanwhile go above it. Elsewhere there is no such row,
 * and a status is a line like any other.
 */
const CLEAR = '\r\u001b[2K';

export class StatusRow {
  readonly #stream: NodeJS.WriteStream;
  #text = '';

  constructor(stream: NodeJS.WriteStream) {
    this.#stream = stream;
  }

  get live(): boolean {
    return this.#stream.isTTY === true;
  }
  show(text: string): void {
    // A row that wraps could not be cleared.
    this.#text = text.slice(0, Math.max(10, (this.#stream.columns || 80) - 1));
    this.#stream.write(`${CLEAR}${this.#text}`);
  }
  /** A line that stays. */
  say(line: string): void {
    this.#stream.write(this.#text === '' ? `${line}\n` : `${CLEAR}${line}\n${this.#text}`);
  }
  /** Leaves the last status where it is, and the cursor below it. */
  end(): void {
    if (this.#text !== '') this.#stream.write('\n');
    this.#text = '';
  }
}
