/**
 * A lock of one word between the writer and the end of its process.
 *
 * A process that exits while its writer is inside a write transaction hangs, because the lock of LMDB dies with the
 * thread. So the writer closes the gate behind it when it goes in, and the exit of the process waits until it is out and
 * then bars it. `kill -9` needs no gate: the lock is robust against the death of the whole process.
 */
const OPEN = 0;
const INSIDE = 1;
const BARRED = 2;

export const makeGate = (): SharedArrayBuffer => new SharedArrayBuffer(4);

/** Runs `write` inside; never returns once the gate is barred, because the process is about to end. */
export const through = <T>(gate: Int32Array, write: () => T): T => {
  while (Atomics.compareExchange(gate, 0, OPEN, INSIDE) !== OPEN) Atomics.wait(gate, 0, BARRED);
  try {
    return write();
  } finally {
    Atomics.store(gate, 0, OPEN);
    Atomics.notify(gate, 0);
  }
};

/** Waits for the writer to come out, at most `ms`, and lets it in no more. */
export const bar = (gate: Int32Array, ms: number): void => {
  const until = performance.now() + ms;
  while (Atomics.compareExchange(gate, 0, OPEN, BARRED) === INSIDE && performance.now() < until) Atomics.wait(gate, 0, INSIDE, 50);
};
