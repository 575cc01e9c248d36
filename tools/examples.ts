/** The functions, classes and values that a program imports, and whether the docstring of each has an example. */
import { readFileSync } from 'node:fs';
import { dirname, join, posix } from 'node:path';

export interface Exported {
  readonly name: string;
  /** Where it is declared, from the root. */
  readonly file: string;
  readonly hasExample: boolean;
}

/** The values that an entry exports. Types are read where a value's type names them, and need no example. */
export const valuesOf = (root: string, entry: string): readonly Exported[] => {
  const text = readFileSync(join(root, entry), 'utf8');
  const fromOthers = [...text.matchAll(/^export \{([^}]*)\} from '([^']+)';$/gm)].flatMap(([, names, from]) =>
    names!
      .split(',')
      .map((name) => name.trim())
      .filter((name) => name !== '' && !name.startsWith('type '))
      .map((name) => declared(root, posix.join(dirname(entry), from!), name.split(' as ')[0]!)),
  );
  return [...fromOthers, ...[...text.matchAll(DECLARATION)].map(([, name]) => declared(root, entry, name!))];
};
const DECLARATION = /^export (?:declare )?(?:async )?(?:const|function|class) (\w+)/gm;

const declared = (root: string, file: string, name: string): Exported => {
  const text = readFileSync(join(root, file), 'utf8');
  const at = [...text.matchAll(DECLARATION)].find(([, found]) => found === name)?.index;
  if (at !== undefined) return { name, file, hasExample: exampleAbove(text.slice(0, at)) };
  // The file passes on an export of another file.
  const from = [...text.matchAll(/^export \{([^}]*)\} from '([^']+)';$/gm)].find(([, names]) => names!.split(',').some((one) => one.trim() === name))?.[2];
  if (from === undefined) throw new Error(`${file} exports no ${name}`);
  return declared(root, posix.join(dirname(file), from), name);
};

const exampleAbove = (before: string): boolean => {
  const docstring = before.trimEnd().endsWith('*/') ? before.slice(before.lastIndexOf('/**')) : '';
  return /\n \* @example\n \* \S/.test(docstring);
};
