/**
 * Checks once, at the declaration, whether a codec can carry the values of a schema.
 *
 * The schema's output counts, because the output is encoded. JSON has no dates, bigints, maps or sets: it would
 * write a string, throw, or write `{}`. MessagePack as we write it has no maps: a Map comes back as an object. A schema that
 * does not determine its output (unknown, custom, a transform) is *open*, and each value is checked instead.
 */
import type { z } from 'zod';
import { StoplogError } from '../errors.ts';
import type { CodecName, Owner, Schema } from './codec.ts';
import { isSchema, isZod } from './zod.ts';

/** 'sort-key' denotes the keys of stores, whose bytes sort as the values do. */
type Carrier = CodecName | 'sort-key';
type Def = z.core.$ZodTypes['_zod']['def'];

export const checkCarries = (schema: Schema, carrier: Carrier, owner: Owner): { readonly open: boolean } => {
  if (!isSchema(schema)) throw noSchema(owner);
  // The output of another library's schema is checked value by value.
  if (!isZod(schema)) return { open: true };
  const walk: Walk = { carrier, owner, seen: new Set(), open: false };
  visit(schema, '', walk);
  return walk;
};

/** Types may have been stripped without a check, so the schema may be any value. */
const noSchema = ({ kind, name, side }: Owner): StoplogError =>
  new StoplogError(
    'STOPLOG_USAGE',
    { [kind]: name, side },
    `the ${side} of ${kind} '${name}' is no schema: give one of zod 4, such as ${side}: z.string(), or of another library that keeps Standard Schema (valibot, arktype)`,
  );

interface Walk {
  readonly carrier: Carrier;
  readonly owner: Owner;
  readonly seen: Set<unknown>;
  open: boolean;
}

const visit = (schema: z.core.$ZodType, path: string, walk: Walk): void => {
  if (walk.seen.has(schema)) return;
  walk.seen.add(schema);
  const { def } = (schema as z.core.$ZodTypes)._zod;
  const fault = faultOf(def, path, walk.carrier, walk.owner.side);
  if (fault !== undefined) throw refusal(fault, path, walk);
  switch (def.type) {
    case 'any':
    case 'unknown':
    case 'custom':
    case 'transform':
      walk.open = true;
      break;
    case 'object':
      for (const [name, part] of Object.entries(def.shape)) visit(part, path === '' ? name : `${path}.${name}`, walk);
      if (def.catchall) visit(def.catchall, `${path}[…]`, walk);
      break;
    case 'array':
      visit(def.element, `${path}[]`, walk);
      break;
    case 'tuple':
      def.items.forEach((item, i) => visit(item, `${path}[${i}]`, walk));
      if (def.rest) visit(def.rest, `${path}[]`, walk);
      break;
    case 'record':
      visit(def.keyType, `${path} (its keys)`, walk);
      visit(def.valueType, `${path}[…]`, walk);
      break;
    case 'set':
      visit(def.valueType, `${path}[]`, walk);
      break;
    case 'union':
      for (const option of def.options) visit(option, path, walk);
      break;
    case 'intersection':
      visit(def.left, path, walk);
      visit(def.right, path, walk);
      break;
    case 'pipe':
      visit(def.out, path, walk);
      break;
    case 'lazy':
      visit(def.getter(), path, walk);
      break;
    case 'optional':
    case 'nullable':
    case 'nonoptional':
    case 'default':
    case 'prefault':
    case 'catch':
    case 'readonly':
      visit(def.innerType, path, walk);
      break;
    default: // leaves
  }
};

/** Names the part of this one schema, without its children, that the carrier cannot carry. */
const faultOf = (def: Def, path: string, carrier: Carrier, side: Owner['side']): string | undefined => {
  if (def.type === 'symbol' || def.type === 'function' || def.type === 'file' || def.type === 'promise' || def.type === 'map') return `z.${def.type}()`;
  if (carrier === 'msgpack') return side === 'key' && def.type === 'set' ? 'z.set()' : undefined;
  if (carrier === 'string' || carrier === 'bytes') return OF_CODEC[carrier].has(def.type) ? wrongLiteral(def) : `z.${def.type}()`;
  if (def.type === 'bigint' && carrier === 'sort-key' && path === '') return undefined;
  if (def.type === 'literal' && (carrier === 'json' || path !== '') && def.values.some((value) => typeof value === 'bigint')) return 'a bigint literal';
  return def.type === 'date' || def.type === 'bigint' || def.type === 'set' || def.type === 'nan' ? `z.${def.type}()` : undefined;
};

const wrongLiteral = (def: Def): string | undefined => {
  const values = def.type === 'enum' ? Object.values(def.entries) : def.type === 'literal' ? def.values : [];
  return values.every((value) => typeof value === 'string') ? undefined : `z.${def.type}() of something else than strings`;
};

/** Wrappers and open schemas pass here; the schemas inside are checked in their turn, or their values at `encode`. */
const WRAPPERS = ['union', 'pipe', 'lazy', 'optional', 'nullable', 'nonoptional', 'default', 'prefault', 'catch', 'readonly', 'null', 'undefined', 'never'];
const OPEN = ['any', 'unknown', 'custom', 'transform'];
const OF_CODEC = {
  string: new Set<string>([...WRAPPERS, ...OPEN, 'string', 'template_literal', 'enum', 'literal', 'intersection']),
  bytes: new Set<string>([...WRAPPERS, ...OPEN]),
};

const refusal = (what: string, path: string, { carrier, owner: { kind, name, side } }: Walk): StoplogError => {
  const by = carrier === 'sort-key' ? "a store's ordered keys cannot carry" : `the ${carrier} codec cannot carry`;
  return new StoplogError(
    'STOPLOG_SCHEMA',
    { [kind]: name, side, codec: carrier, path, issues: [{ path: path === '' ? [] : [path], message: what }] },
    `${by} ${what}${path === '' ? '' : `, at ${path}`} in the ${side} of ${kind} '${name}': ${remedy(what, carrier)}`,
  );
};

const remedy = (what: string, carrier: Carrier): string => {
  const msgpack = carrier === 'json' ? ', or the msgpack codec' : '';
  if (carrier === 'bytes') return 'declare z.instanceof(Uint8Array), or the json codec';
  if (carrier === 'string') return 'declare a z.string(), or the json codec';
  if (what === 'z.date()') return `use z.iso.datetime()${msgpack}`;
  if (what.includes('bigint')) return `use a string of digits${msgpack}`;
  if (what === 'z.map()') return 'use z.record(), or an array of pairs';
  if (what === 'z.set()') return `use an array${carrier === 'json' ? msgpack : ''}`;
  if (what === 'z.nan()') return `use z.null()${msgpack}`;
  return 'declare what is to be kept as plain data';
};
