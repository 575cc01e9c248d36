/** The values of an encoded batch, as texts. */
import { openBatch, stampBatch } from '@stoplog/core/kit';

export const textsIn = (batch: Uint8Array): readonly string[] => {
  // A batch is stamped when it is appended; this stamps a copy, so that it opens.
  const copy = Uint8Array.from(batch);
  stampBatch(copy, { topicId: 1, partition: 0, baseOffset: 0n });
  const view = openBatch(copy);
  const texts: string[] = [];
  while (view.next()) texts.push(Buffer.from(view.value() ?? new Uint8Array(0)).toString());
  return texts;
};
