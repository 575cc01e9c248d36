/**
 * Shows the progress of the stages: bars that move in place on a terminal, a line at every tenth elsewhere.
 *
 * Rate and time left are those of this run; the work of an earlier run counts as done, not as speed.
 */
import type { WriteStream } from 'node:tty';
import pc from 'picocolors';

export interface Stage {
  /** `done` of `total` are done. */
  at(done: number): void;
  /** All are done. Returns the rate of this run. */
  end(): Rate;
}
export interface Rate {
  /** The records of this run. */
  readonly records: number;
  readonly ms: number;
}
export const thousands = (n: number): string => Math.round(n).toLocaleString('en-US');
export const perSecond = ({ records, ms }: Rate): number => (records * 1000) / Math.max(1, ms);

const REDRAW_MS = 100;
/** The number of records between two looks at the clock. */
const LOOK_EVERY = 1_024;
/** The columns of text next to the bar, at most. */
const BESIDE_BAR = 66;
const BAR_WIDTH = 24;
const NAME_WIDTH = 16;

export class Progress {
  readonly #out: WriteStream;
  readonly #stages: Bar[] = [];
  #drawn = 0;
  #drawnAt = 0;

  constructor(out: WriteStream) {
    this.#out = out;
  }

  /** Starts a stage at `done` of `total`. */
  stage(name: string, total: number, done: number): Stage {
    const bar = new Bar(name, total, done, (ended) => (this.#out.isTTY ? this.#redraw(ended) : this.#print(bar)));
    this.#stages.push(bar);
    return bar;
  }
  /** Keeps the drawing, and moves below it. */
  close(): void {
    if (this.#out.isTTY) this.#redraw(true);
    this.#stages.length = this.#drawn = 0;
  }

  #redraw(now: boolean): void {
    const at = performance.now();
    if (!now && at - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = at;
    const width = Math.max(0, Math.min(BAR_WIDTH, (this.#out.columns || 80) - BESIDE_BAR));
    const up = this.#drawn > 0 ? `\x1b[${this.#drawn}A` : '';
    this.#out.write(up + this.#stages.map((bar) => `\x1b[2K${bar.draw(width)}\n`).join(''));
    this.#drawn = this.#stages.length;
  }
  #print(bar: Bar): void {
    if (bar.isNewTenth()) this.#out.write(`${bar.line()}\n`);
  }
}

class Bar implements Stage {
  readonly #name: string;
  readonly #total: number;
  readonly #first: number;
  readonly #startedAt = performance.now();
  readonly #moved: (ended: boolean) => void;
  #done: number;
  #seenAt = performance.now();
  #reportedTenth: number;

  constructor(name: string, total: number, done: number, moved: (ended: boolean) => void) {
    this.#name = name;
    this.#total = total;
    this.#first = this.#done = done;
    this.#reportedTenth = this.#tenth();
    this.#moved = moved;
  }

  at(done: number): void {
    if (done === this.#done) return;
    const looked = Math.floor(this.#done / LOOK_EVERY);
    this.#done = Math.min(done, this.#total);
    if (Math.floor(this.#done / LOOK_EVERY) === looked) return;
    this.#seenAt = performance.now();
    this.#moved(false);
  }
  end(): Rate {
    // A stage that is polled once a second ended before it was seen.
    if (this.#done < this.#total) this.#seenAt = performance.now();
    this.#done = this.#total;
    this.#moved(true);
    return this.#rate();
  }

  isNewTenth(): boolean {
    const reported = this.#reportedTenth;
    this.#reportedTenth = this.#tenth();
    return this.#reportedTenth > reported;
  }
  line(): string {
    return `${this.#name.padEnd(NAME_WIDTH)} ${this.#percent()}  ${thousands(this.#done)} of ${thousands(this.#total)}${this.#speed()}`;
  }
  draw(width: number): string {
    const full = Math.round(this.#share() * width);
    const bar = pc.cyan('█'.repeat(full)) + pc.dim('░'.repeat(width - full));
    return `${this.#name.padEnd(NAME_WIDTH)} ${bar} ${this.#percent()}  ${thousands(this.#done).padStart(9)}${pc.dim(this.#speed())}`;
  }

  #share(): number {
    return this.#total === 0 ? 1 : this.#done / this.#total;
  }
  #tenth(): number {
    return Math.floor(this.#share() * 10);
  }
  #percent(): string {
    return `${Math.floor(this.#share() * 100)} %`.padStart(5);
  }
  #rate(): Rate {
    return { records: this.#done - this.#first, ms: this.#seenAt - this.#startedAt };
  }
  #speed(): string {
    const rate = this.#rate();
    const speed = perSecond(rate);
    if (rate.records === 0 || rate.ms < REDRAW_MS) return '';
    const left = (this.#total - this.#done) / speed;
    return `  ${thousands(speed)} records/s${this.#done < this.#total ? `, ${Math.ceil(left)} s left` : ''}`;
  }
}
