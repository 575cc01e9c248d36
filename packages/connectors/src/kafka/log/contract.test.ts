import { logContract } from '@stoplog/core/testing/contract';
import { describe, inject } from 'vitest';
import { logOnPrefix } from '../fixtures/prefix.ts';

const broker = inject('kafka');
/** Promises that Kafka keeps in another way, or not at all; decision 0034 has the whole list. */
const NOT_KEPT = {
  'retention ': 'the broker applies retention by itself: nothing starts it on command',
  'survivors: ': 'the broker compacts by itself: nothing starts it on command',
  'both: ': 'the broker applies retention and compacts by itself',
  'gaps: a read from an offset without a record': 'a batch with gaps gets consecutive offsets; log.test.ts reads across the gaps that Kafka makes',
};

// Without a broker the reason is printed when the run begins (fixtures/setup.ts).
describe.skipIf(broker === undefined)('Kafka', () => logContract('Kafka', () => Promise.resolve(logOnPrefix(broker!)), NOT_KEPT));
