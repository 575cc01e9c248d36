/**
 * Text as its UTF-8 and bytes as themselves: for topics shared with programs that have no codec of ours, and for keys that
 * must hash as Kafka's string keys do.
 */
import { isWellFormed, readUtf8 } from '../bytes/text.ts';
import type { Encoded } from './codec.ts';
import { nameOf } from './exact.ts';
import { OwnedSerde } from './owned-serde.ts';
import { cannotEncode } from './refusal.ts';

export class StringSerde extends OwnedSerde {
  readonly codec = 'string' as const;

  encode(value: unknown): Encoded {
    if (typeof value !== 'string') throw cannotEncode(this.owner, 'string', [], nameOf(value), 'give a string, or declare the json codec');
    if (!isWellFormed(value))
      throw cannotEncode(
        this.owner,
        'string',
        [],
        'half a surrogate pair, which UTF-8 has no bytes for,',
        'mend the string with toWellFormed(), or declare the json codec',
      );
    return value;
  }
  decode(bytes: Uint8Array, start = 0, end: number = bytes.length): unknown {
    return readUtf8(bytes, start, end);
  }
}

export class BytesSerde extends OwnedSerde {
  readonly codec = 'bytes' as const;

  encode(value: unknown): Encoded {
    if (value instanceof Uint8Array) return value;
    throw cannotEncode(this.owner, 'bytes', [], nameOf(value), 'give a Uint8Array, or declare the json codec');
  }
  /** Returns a copy: the batch may be memory of the log that is about to be unmapped. A Buffer's slice would share that memory. */
  decode(bytes: Uint8Array, start = 0, end: number = bytes.length): unknown {
    return Uint8Array.prototype.slice.call(bytes, start, end);
  }
}
