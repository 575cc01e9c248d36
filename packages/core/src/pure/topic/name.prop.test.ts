import fc from 'fast-check';
import { expect, test } from 'vitest';
import { checkName } from './name.ts';

test('a text is a name by the allow-list, or refused with a code; a name is safe in a path and in a key', () => {
  const near = fc.string({ unit: fc.constantFrom('a', 'Z', '0', '.', '_', '-', '/', '\\', '\0', '\n', ' ', 'é', '%', ':'), maxLength: 260 });
  fc.assert(
    fc.property(
      fc.oneof(near, fc.string({ unit: 'binary' }), fc.constantFrom('.', '..', '', '__proto__', 'constructor', 'a'.repeat(249), 'a'.repeat(250))),
      (name) => {
        const isName =
          name.length >= 1 && name.length <= 249 && name.split('').every((character) => /[a-zA-Z0-9._-]/.test(character)) && name !== '.' && name !== '..';
        if (isName) expect(() => checkName('topic', name)).not.toThrow();
        else expect(() => checkName('topic', name)).toThrow(expect.objectContaining({ code: 'STOPLOG_NAME' }));
      },
    ),
    { numRuns: 2_000 },
  );
});
