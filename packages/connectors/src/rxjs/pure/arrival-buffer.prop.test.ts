import fc from 'fast-check';
import { expect, test } from 'vitest';
import { ArrivalBuffer, type Overflow } from './arrival-buffer.ts';

const seed = Date.now() % 2 ** 31;

test(`a buffer does the same as a list of bounded length (seed ${seed})`, () => {
  const steps = fc.array(fc.oneof(fc.constant('offer' as const), fc.integer({ min: 0, max: 5 })), { maxLength: 60 });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 6 }), fc.constantFrom<Overflow>('drop-oldest', 'drop-newest', 'fail'), steps, (capacity, overflow, todo) => {
      const buffer = new ArrivalBuffer(capacity, overflow);
      const list: number[] = [];
      let seen = 0;
      for (const step of todo) {
        if (step === 'offer') {
          const offered = buffer.offer(seen, 0);
          expect(offered).toBe(list.length < capacity ? 'kept' : overflow === 'fail' ? 'overflowed' : 'dropped');
          if (list.length < capacity) list.push(seen);
          else if (overflow === 'drop-oldest') {
            list.shift();
            list.push(seen);
          }
          seen++;
        } else {
          expect(buffer.take(step).map(({ key }) => key)).toEqual(list.splice(0, step).map(String));
        }
        expect(buffer.size).toBe(list.length);
      }
    }),
    { seed },
  );
});
