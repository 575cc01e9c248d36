import { expect, test, vi } from 'vitest';
import { bar, makeGate, through } from './gate.ts';

test('a thread that waits for the writer to come out stops waiting after its time, also when the wall clock stands still', () => {
  const stopped = vi.spyOn(Date, 'now').mockReturnValue(0);
  const gate = new Int32Array(makeGate());
  let waited = 0;
  through(gate, () => {
    const since = performance.now();
    bar(gate, 60);
    waited = performance.now() - since;
  });
  stopped.mockRestore();
  expect(waited).toBeGreaterThanOrEqual(60);
});
