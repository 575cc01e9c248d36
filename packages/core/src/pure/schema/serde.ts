/**
 * Makes a Serde from a schema and the name of a codec. Both the choice and the refusal of a schema whose values the codec cannot
 * carry happen once, at the declaration.
 */
import { z } from 'zod';
import { StoplogError } from '../errors.ts';
import { checkCarries } from './carries.ts';
import { CODEC_NAMES, type CodecName, type Encoded, type Owner, type Schema, type Serde } from './codec.ts';
import { JsonSerde } from './json.ts';
import { MsgpackSerde } from './msgpack.ts';
import { BytesSerde, StringSerde } from './verbatim.ts';

export type { CodecName, Encoded, Owner, Serde } from './codec.ts';

/** The serde of one side of a topic or store; throws `STOPLOG_SCHEMA` when the codec cannot carry the schema's output. */
export const serde = (schema: Schema, codec: CodecName, side: Owner['side'], owner: string, kind: Owner['kind'] = 'topic'): Serde<unknown> => {
  const who: Owner = { kind, name: owner, side };
  checkCodec(codec, who);
  const { open } = checkCarries(schema, codec, who);
  switch (codec) {
    case 'json':
      return new JsonSerde(schema, who, open);
    case 'msgpack':
      return new MsgpackSerde(schema, who, open);
    case 'string':
      return new StringSerde(schema, who);
    case 'bytes':
      return new BytesSerde(schema, who);
  }
};

/** The serde for tools that know a topic only by its codec: it decodes every stored value. */
export const serdeOf = (codec: CodecName, owner = '(any)'): Serde<unknown> => serde(z.unknown(), codec, 'value', owner);

/** Parses each decoded value, for a topic that other programs write to. */
export const parsing = (inner: Serde<unknown>): Serde<unknown> => new ParsingSerde(inner);

class ParsingSerde implements Serde<unknown> {
  readonly codec: CodecName;
  readonly parsesOnDecode = true as const;
  readonly schema: Schema;
  readonly #inner: Serde<unknown>;
  constructor(inner: Serde<unknown>) {
    this.codec = inner.codec;
    this.schema = inner.schema;
    this.#inner = inner;
  }
  parse(input: unknown): unknown {
    return this.#inner.parse(input);
  }
  encode(value: unknown): Encoded {
    return this.#inner.encode(value);
  }
  decode(bytes: Uint8Array, start = 0, end: number = bytes.length): unknown {
    return this.#inner.parse(this.#inner.decode(bytes, start, end));
  }
}

const checkCodec = (codec: string, { kind, name, side }: Owner): void => {
  if ((CODEC_NAMES as readonly string[]).includes(codec)) return;
  throw new StoplogError(
    'STOPLOG_USAGE',
    { [kind]: name, side, codec },
    `${kind} '${name}' names an unknown codec for its ${side}, '${codec}': take one of ${CODEC_NAMES.join(', ')}`,
  );
};
