/** The index with another tokenizer. Its version is raised, so the store is built anew from the documents. */
import { indexOf } from './index-of.ts';
import { byLetters } from './tokenizers.ts';

export default indexOf(2, byLetters);
