/**
 * Every page is used once or free: a page that is neither is leaked; one that is both will be overwritten. The account has a
 * byte for each page of the file, since a damaged meta page may name any number as its last.
 */
const UNKNOWN = 0;
const USED = 1;
const FREE = 2;

export class PageAccount {
  readonly #marks: Uint8Array;

  /** `pages` is the length of the file. Pages after its end are not counted. */
  constructor(lastPage: number, pages: number) {
    this.#marks = new Uint8Array(Math.min(lastPage + 1, pages));
  }

  /** False when one of the pages was used before. */
  use(page: number, count: number): boolean {
    return this.#mark(page, count, USED) === undefined;
  }
  /** The first page that was used or free before. */
  free(page: number, count: number): number | undefined {
    return this.#mark(page, count, FREE);
  }
  isFree(page: number): boolean {
    return this.#marks[page] === FREE;
  }
  isUsed(page: number): boolean {
    return this.#marks[page] === USED;
  }
  /** Pages that are neither used nor free, after the meta pages. */
  *lost(): Generator<number> {
    for (let page = 2; page < this.#marks.length; page++) if (this.#marks[page] === UNKNOWN) yield page;
  }
  #mark(page: number, count: number, mark: number): number | undefined {
    let before: number | undefined;
    const end = Math.min(page + count, this.#marks.length);
    for (let i = page; i < end; i++) {
      if (this.#marks[i] !== UNKNOWN) before ??= i;
      else this.#marks[i] = mark;
    }
    return before;
  }
}
