/** The common part of the serdes: each has a schema to parse by, and an owner to name in errors. */
import type { CodecName, Encoded, Owner, Schema, Serde } from './codec.ts';
import { parserOf } from './refusal.ts';

export abstract class OwnedSerde implements Serde<unknown> {
  abstract readonly codec: CodecName;
  readonly parsesOnDecode = false as const;
  readonly schema: Schema;
  protected readonly owner: Owner;
  readonly #parser: (input: unknown) => unknown;
  constructor(schema: Schema, owner: Owner) {
    this.schema = schema;
    this.owner = owner;
    this.#parser = parserOf(schema, owner);
  }
  parse(input: unknown): unknown {
    return this.#parser(input);
  }
  abstract encode(value: unknown): Encoded;
  abstract decode(bytes: Uint8Array, start?: number, end?: number): unknown;
}

/** A serde of structured values: a key is written in canonical order, so that equal keys have equal bytes. */
export abstract class StructuredSerde extends OwnedSerde {
  /** True when the schema does not determine the values, so that each value is checked for parts that the codec cannot carry. */
  protected readonly open: boolean;
  protected readonly canonical: boolean;
  constructor(schema: Schema, owner: Owner, open: boolean) {
    super(schema, owner);
    this.open = open;
    this.canonical = owner.side === 'key';
  }
}
