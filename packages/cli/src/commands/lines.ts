/**
 * Splits a stream into lines of bytes. A line ends at a newline, with or without a carriage return before it; the last line also
 * at the end of the stream. Unlike `node:readline`, this accepts no other line ending, and loses no byte that is not UTF-8.
 */
import { StoplogError } from '@stoplog/core';
import { MAX_RECORD_BYTES } from '@stoplog/core/kit';

const NEWLINE = 0x0a;
const RETURN = 0x0d;
/** JSON may escape one character as six; a longer line fits in no record. */
const MAX_LINE_BYTES: number = 6 * MAX_RECORD_BYTES + 65_536;

export async function* linesOf(stream: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array> {
  let pieces: Uint8Array[] = [];
  let size = 0;
  const take = (last: Uint8Array): Uint8Array => {
    const line = pieces.length === 0 ? last : Buffer.concat([...pieces, last]);
    pieces = [];
    size = 0;
    return line.at(-1) === RETURN ? line.subarray(0, -1) : line;
  };
  for await (const chunk of stream) {
    let from = 0;
    for (let end = chunk.indexOf(NEWLINE); end >= 0; end = chunk.indexOf(NEWLINE, from)) {
      yield take(chunk.subarray(from, end));
      from = end + 1;
    }
    if (from === chunk.length) continue;
    pieces.push(chunk.subarray(from));
    size += chunk.length - from;
    if (size > MAX_LINE_BYTES)
      throw new StoplogError(
        'STOPLOG_RECORD_TOO_LARGE',
        { limit: MAX_RECORD_BYTES },
        `it is longer than any record may be (${MAX_RECORD_BYTES} bytes): is this a text of lines?`,
      );
  }
  if (size > 0) yield take(new Uint8Array(0));
}
