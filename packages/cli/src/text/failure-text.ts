/** A partition that has failed for good, as `stoplog groups describe` shows it: a sentence for people, data for programs. */
import type { TopicPartition } from '@stoplog/core/port';
import { agoText, type FailureNote, oneLine, printable } from '@stoplog/runtime/kit';
import { offsetData } from './json-text.ts';

type Noted = TopicPartition & { readonly note: FailureNote };

/** `log`: the log as it was given to the command, for the command to run next. */
export const noteText = ({ topic, partition, note }: Noted, now: number, log: string | undefined): string => {
  const at = note.offset === undefined ? '' : ` at offset ${note.offset}`;
  const way = note.skip === undefined ? '' : `. To leave the record out, stop the pipeline and run: ${note.skip}${log === undefined ? '' : ` --log ${log}`}`;
  return `${topic}[${partition}] failed for good${at}, ${agoText(note.at, now)}, after ${note.failures} ${note.failures === 1 ? 'failure' : 'failures'}: ${note.code}  ${printable(oneLine(note.message))}${way}`;
};

export const noteData = ({ topic, partition, note }: Noted): unknown => ({
  topic,
  partition,
  offset: note.offset === undefined ? null : offsetData(note.offset),
  code: note.code,
  message: note.message,
  failures: note.failures,
  at: new Date(note.at).toISOString(),
  skip: note.skip ?? null,
});
