import { test } from 'vitest';
import { BROKEN } from './fixtures/broken-logs.ts';
import { copyAndCount, lineInputs, balance, payments } from './fixtures/simulated-pipelines.ts';
import { simulateOn } from './simulate.ts';
test('x', () => {
  for (const name of ['takes what was made from a refused commit', 'ignores positions that stand still', 'ignores epochs']) for (const faults of [BROKEN[name]!.faults ?? {}, {}]) {
  let n = [0, 0]; 
  for (let seed = 0; seed < 400; seed++) {
  try { simulateOn(copyAndCount, { seed, inputs: lineInputs, faults }, BROKEN[name]!.make); } catch (e) { n[0]!++; }
  try { simulateOn(balance, { seed, inputs: payments, orderMatters: true, faults }, BROKEN[name]!.make); } catch (e) { n[1]!++; }
  }
  console.log(name, faults, n);
  }
}, 200000);
