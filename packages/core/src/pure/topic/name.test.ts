import { describe, expect, test } from 'vitest';
import { checkName } from './name.ts';

describe('a name', () => {
  test.each(['a', 'orders.v1', 'A-Z_0-9', '...', '-', 'a'.repeat(249), '__proto__', 'constructor'])('may be %j', (name) => {
    expect(() => checkName('topic', name)).not.toThrow();
  });

  test.each(['', '.', '..', 'a b', 'a/b', 'a\\b', 'é', 'a\n', 'a\0', 'a'.repeat(250), undefined, null, 5, {}])('may not be %j', (name) => {
    expect(() => checkName('store', name)).toThrow(
      expect.objectContaining({ code: 'STOPLOG_NAME', message: expect.stringMatching(/cannot name a store: use 1 to 249 of the characters/) }),
    );
  });
});
