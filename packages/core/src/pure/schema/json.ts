/**
 * JSON: readable in every tool, exact for every value that it carries, `__proto__` included.
 *
 * The slow check for values that JSON changes runs when the text contains `null`: NaN, the infinities and undefined in an
 * array all become `null`, so a text without it had none of them. A plain string is decoded by cutting off its quotes.
 */
import { readUtf8 } from '../bytes/text.ts';
import { canonicalJson } from '../bytes/canonical.ts';
import type { Encoded } from './codec.ts';
import { jsonFault, nameOf } from './exact.ts';
import { StructuredSerde } from './owned-serde.ts';
import { cannotDecode, cannotEncode } from './refusal.ts';

const QUOTE = 0x22;
const REMEDY = 'give it as JSON has it, or declare the msgpack codec';

export class JsonSerde extends StructuredSerde {
  readonly codec = 'json' as const;

  encode(value: unknown): Encoded {
    if (typeof value === 'string') return JSON.stringify(value);
    if (typeof value === 'number' && Number.isFinite(value)) return String(value); // as JSON has it, -0 as 0 too
    let text: string | undefined;
    try {
      if (this.open) this.#look(value);
      text = this.canonical && typeof value === 'object' ? canonicalJson(value) : JSON.stringify(value);
    } catch (error) {
      throw this.#refused(error);
    }
    if (text === undefined) throw cannotEncode(this.owner, 'json', [], nameOf(value), REMEDY);
    if (value !== null && text.includes('null')) this.#look(value);
    return text;
  }

  decode(bytes: Uint8Array, start = 0, end: number = bytes.length): unknown {
    try {
      if (bytes[start] === QUOTE && end - start > 1 && bytes[end - 1] === QUOTE) {
        const text = readUtf8(bytes, start + 1, end - 1);
        if (!text.includes('\\') && !text.includes('"')) return text;
      }
      return JSON.parse(readUtf8(bytes, start, end));
    } catch (cause) {
      throw cannotDecode(this.owner, 'json', cause);
    }
  }

  #look(value: unknown): void {
    const fault = jsonFault(value);
    if (fault) throw cannotEncode(this.owner, 'json', fault.path, fault.what, REMEDY);
  }

  /** `JSON.stringify` throws for bigints and for circles; the check has thrown its own error. */
  #refused(error: unknown): unknown {
    if (!(error instanceof TypeError || error instanceof RangeError)) return error;
    return cannotEncode(this.owner, 'json', [], error.message.split('\n')[0] ?? 'a value JSON cannot carry', REMEDY, error);
  }
}
