/**
 * A JSON schema in the words of a TypeScript type, for the sentence that compares two of them. It works on the JSON form,
 * because the older of the two may be known only from the log.
 */
type Json = Readonly<Record<string, unknown>>;

export const describeJsonSchema = (schema: unknown): string => {
  if (typeof schema !== 'object' || schema === null) return schema === false ? 'never' : 'unknown';
  const json = schema as Json;
  if ('const' in json) return JSON.stringify(json['const']);
  if (Array.isArray(json['enum'])) return json['enum'].map((value) => JSON.stringify(value)).join(' | ');
  const options = json['anyOf'] ?? json['oneOf'];
  if (Array.isArray(options)) return [...new Set(options.map(describeJsonSchema))].join(' | ');
  if (Array.isArray(json['allOf'])) return json['allOf'].map(grouped).join(' & ');
  if (typeof json['$ref'] === 'string') return json['$ref'] === '#' ? '…' : json['$ref'].slice(json['$ref'].lastIndexOf('/') + 1);
  if (json['type'] === 'object') return describeObject(json);
  if (json['type'] === 'array') return describeArray(json);
  if (json['type'] === 'string' && typeof json['format'] === 'string') return json['format'];
  if (Array.isArray(json['type'])) return json['type'].join(' | ');
  const name = json['x-type'] ?? json['type'];
  return typeof name === 'string' && name !== 'custom' && name !== 'transform' ? name : 'unknown';
};

const describeObject = (json: Json): string => {
  const required = new Set(Array.isArray(json['required']) ? json['required'] : []);
  const members = Object.entries((json['properties'] ?? {}) as Json).map(
    ([name, member]) => `${name}${required.has(name) ? '' : '?'}: ${describeJsonSchema(member)}`,
  );
  const rest = json['additionalProperties'];
  if (typeof rest === 'object' && rest !== null) members.push(`[name]: ${describeJsonSchema(rest)}`);
  return `{${members.join(', ')}}`;
};

const describeArray = (json: Json): string => {
  const items = json['prefixItems'];
  if (Array.isArray(items)) return `[${items.map(describeJsonSchema).join(', ')}]`;
  return `${grouped(json['items'])}[]`;
};

const grouped = (schema: unknown): string => {
  const text = describeJsonSchema(schema);
  return text.includes(' | ') && !text.startsWith('{') ? `(${text})` : text;
};
