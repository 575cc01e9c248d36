/** The index as it was shipped. */
import { indexOf } from './index-of.ts';
import { atSpaces } from './tokenizers.ts';

export default indexOf(1, atSpaces);
