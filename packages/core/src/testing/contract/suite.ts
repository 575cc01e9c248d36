/**
 * A suite of promises: each is a sentence and a test that shows it. A promise that a subject does not keep is named with the reason; the suite
 * prints both, and fails when a name is no beginning of any promise, so that the list cannot go stale.
 */
import { describe, expect, test } from 'vitest';

/** Promises that are not kept: the beginning of their sentences, such as 'survivors:', with the reason. */
export type NotKept = Readonly<Record<string, string>>;
/** A group of promises about a subject. */
export type PromisesOf<S> = (promise: (sentence: string, kept: (subject: S) => Promise<void>) => void) => void;

interface Suite<S> {
  /** The kind of the subject, such as 'a log', and its name. */
  readonly kind: string;
  readonly name: string;
  readonly notKept: NotKept;
  readonly parts: Readonly<Record<string, PromisesOf<S>>>;
  /** Calls a promise with a new subject. */
  readonly show: (kept: (subject: S) => Promise<void>) => Promise<void>;
}

export const suite = <S>({ kind, name, notKept, parts, show }: Suite<S>): void => {
  const left = new Map(Object.keys(notKept).map((beginning) => [beginning, 0]));
  for (const [part, promises] of Object.entries(parts)) {
    const own: [sentence: string, kept: (subject: S) => Promise<void>][] = [];
    promises((sentence, kept) => {
      const beginning = Object.keys(notKept).find((one) => sentence.startsWith(one));
      if (beginning === undefined) own.push([sentence, kept]);
      else left.set(beginning, left.get(beginning)! + 1);
    });
    if (own.length === 0) continue;
    describe(`the promises of ${kind}, kept by ${name}: ${part}`, () => {
      for (const [sentence, kept] of own) test(sentence, () => show(kept));
    });
  }
  if (left.size === 0) return;
  test(`each promise that ${name} does not keep is one of the contract`, () => {
    for (const [beginning, count] of left) console.log(`${name} does not keep ${count} × '${beginning}…': ${notKept[beginning]!}`);
    expect([...left].filter(([, count]) => count === 0)).toEqual([]);
  });
};
