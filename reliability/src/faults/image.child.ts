/**
 * F9: opens the image of a power cut, reads everything, and compares it with the model and the acknowledged records.
 *
 *   image.child.js FOLDER HISTORY
 *
 * Prints `found {…}`. A process of its own, since a damaged image may end the process that opens it.
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
