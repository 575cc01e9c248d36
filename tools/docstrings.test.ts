import { describe, expect, test } from 'vitest';
import { examplesIn, importing } from './docstrings.ts';

const SOURCE = `/** A file. */
export interface A {
  /**
   * Reads.
   *
   * @example
   * for (const one of log.read(orders))
   *   use(one);
   */
  read(): void;
}
/**
 * @example
 * const orders = topic('orders');
 * @see B
 */
`;

describe('the examples in docstrings', () => {
  test('an example is the text from its tag to the next tag, or to the end of the comment, at the line where it is', () => {
    expect(examplesIn(SOURCE).map(({ line, text }) => [line, text])).toEqual([
      [7, 'for (const one of log.read(orders))\n  use(one);'],
      [14, "const orders = topic('orders');"],
    ]);
  });
  test('an example imports the names that it mentions and does not declare, in its first line', () => {
    const modules = { core: ['topic', 'read', 'type Log'], cast: ['orders', 'log'] };
    expect(examplesIn(SOURCE).map((block) => importing(block, modules).text)).toEqual([
      "export {}; import { orders, log } from 'cast'; for (const one of log.read(orders))\n  use(one);",
      "export {}; import { topic } from 'core'; const orders = topic('orders');",
    ]);
  });
});
