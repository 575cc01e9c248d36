/**
 * Rebuilds a schema from its JSON form, for tools that know a topic only from its stored shape.
 *
 * The JSON form describes values after parsing; refinements and transforms are not in it. Where the form names
 * a type that JSON has no word for (`x-type`, see fingerprint.ts), it is not precise enough to accept a value.
 */
import { z } from 'zod';
import type { Schema } from './codec.ts';

/** Accepts every value. */
export const anySchema: Schema = z.unknown();

/** The schema, or the reason why there is none. */
export const schemaFromJson = (json: unknown): { readonly schema: Schema } | { readonly unsaid: string } => {
  const nameless = firstNameless(json);
  if (nameless !== undefined) return { unsaid: `it holds a ${nameless}` };
  try {
    return { schema: leavingOut(z.fromJSONSchema(json as Parameters<typeof z.fromJSONSchema>[0])) };
  } catch (error) {
    return { unsaid: error instanceof Error ? error.message : String(error) };
  }
};

/**
 * An object schema that leaves unknown fields out has the same JSON form as one that refuses them. The form is read as the first,
 * which `z.object` makes, so that the bytes are the ones that the declaration would have written.
 */
const leavingOut = (schema: z.ZodType): Schema =>
  z.preprocess((value) => {
    const { error } = schema.safeParse(value);
    const unknown = error?.issues.filter((issue) => issue.code === 'unrecognized_keys') ?? [];
    if (unknown.length === 0) return value;
    const copy: unknown = structuredClone(value);
    for (const { path, keys } of unknown) {
      const object = path.reduce<unknown>((part, step) => (part as Readonly<Record<PropertyKey, unknown>>)[step], copy) as Record<string, unknown>;
      for (const key of keys) delete object[key];
    }
    return copy;
  }, schema);

const firstNameless = (json: unknown): string | undefined => {
  if (typeof json !== 'object' || json === null) return undefined;
  const type = (json as { readonly 'x-type'?: unknown })['x-type'];
  if (typeof type === 'string' && type !== 'undefined') return type;
  for (const part of Object.values(json)) {
    const found = firstNameless(part);
    if (found !== undefined) return found;
  }
  return undefined;
};
