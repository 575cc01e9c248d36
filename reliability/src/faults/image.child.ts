/**
 * F9: looks at what a power cut has left: opens it, reads everything, and holds it against the model and what had been acknowledged.
 *
 *   image.child.js FOLDER HISTORY
 *
 * Says `found {…}`. In a process of its own, for whatever is wrong with an image may end whoever opens it.
 */
import { checkLog } from '../checkers/log-checker.ts';
import { checkModel } from '../checkers/model-checker.ts';
import { readFinal } from '../flagship/final.ts';
import { readHistory } from '../history/witness.ts';

const [folder, history] = process.argv.slice(2) as [string, string];
const { state, topics } = await readFinal(folder);
const { faults, acknowledged } = checkLog(readHistory(history), topics);
const model = checkModel(state);
console.log(`found ${JSON.stringify({ faults: [...faults, ...model.faults], acknowledged, taken: model.taken })}`);
