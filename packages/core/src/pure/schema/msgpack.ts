/**
 * MessagePack: for bigints, dates, sets, bytes and undefined inside a value. This file is the only one that knows msgpackr.
 *
 * msgpackr's record structures are off: they pay off over many values, and make a single one slower and unreadable alone. Its
 * reader renames `__proto__`, its writer replaces half a surrogate pair by U+FFFD; both leave a trace in the bytes, and the
 * slow check runs when the trace is there.
 */
import { Packr } from 'msgpackr';
import { isStoplogError } from '../errors.ts';
import { inOrder } from '../bytes/canonical.ts';
import type { Encoded } from './codec.ts';
import { msgpackFault, nameOf } from './exact.ts';
import { StructuredSerde } from './owned-serde.ts';
import { cannotDecode, cannotEncode } from './refusal.ts';

const packr = new Packr({ useRecords: false, moreTypes: true, int64AsType: 'bigint', copyBuffers: true, useToJSON: false });
const REPLACED = Buffer.from('\ufffd');
const REMEDY = 'give it as plain data, or declare the json codec';

export class MsgpackSerde extends StructuredSerde {
  readonly codec = 'msgpack' as const;

  encode(value: unknown): Encoded {
    if (value === undefined || typeof value === 'function') throw cannotEncode(this.owner, 'msgpack', [], nameOf(value), REMEDY);
    try {
      if (this.open) this.#look(value);
      const bytes = packr.pack(this.canonical ? inOrder(value) : value);
      if (!this.open && (bytes.includes('__proto__') || bytes.includes(REPLACED))) this.#look(value);
      return bytes;
    } catch (error) {
      throw this.#refused(error);
    }
  }

  decode(bytes: Uint8Array, start = 0, end: number = bytes.length): unknown {
    try {
      return packr.unpack(start === 0 && end === bytes.length ? bytes : bytes.subarray(start, end));
    } catch (cause) {
      throw cannotDecode(this.owner, 'msgpack', cause);
    }
  }

  #look(value: unknown): void {
    const fault = msgpackFault(value);
    if (fault) throw cannotEncode(this.owner, 'msgpack', fault.path, fault.what, REMEDY);
  }

  #refused(error: unknown): unknown {
    if (isStoplogError(error)) return error;
    const why = error instanceof Error ? error.message : String(error);
    return cannotEncode(this.owner, 'msgpack', [], why, REMEDY, error);
  }
}
