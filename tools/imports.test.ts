import { describe, expect, test } from 'vitest';
import { importsOf, packageOf } from './imports.ts';
import { lineAt, mask } from './mask.ts';

const kinds = (source: string): readonly string[] => importsOf(source).map(({ kind, specifier }) => `${kind} ${specifier}`);

describe('mask', () => {
  test('mask keeps every character at its place', () => {
    const source = "const a = 'x'; // y\n/* z\n */ const b = `p${a + `q${'r'}`}s`;\n";
    expect(mask(source)).toHaveLength(source.length);
    expect(mask(source).split('\n')).toHaveLength(source.split('\n').length);
    expect(mask(source)).toBe("const a = ' ';     \n    \n    const b = ` ${a + ` ${' '}`} `;\n");
  });
  test('a quote in a comment, in a template or in a regular expression opens no string', () => {
    expect(mask("// don't\nf('a')")).toBe("        \nf(' ')");
    expect(mask("`it's ${f('a')}`")).toBe("`     ${f(' ')}`");
    expect(mask("x = /['\"/]/.test(y); g('a')")).toBe("x = /      /.test(y); g(' ')".replace('      ', ' '.repeat(5)));
  });
  test('a division is not a regular expression', () => {
    expect(mask("a / b; c('d') / e")).toBe("a / b; c(' ') / e");
  });
  test('an escaped quote does not end a string', () => {
    expect(mask("'a\\'b' + c")).toBe("'    ' + c");
  });
});

describe('importsOf', () => {
  test('importsOf tells values from types', () => {
    expect(kinds("import { a } from 'a';\nimport type { B } from 'b';\nimport type * as C from 'c';\nimport type D from 'd';")).toEqual([
      'value a',
      'type b',
      'type c',
      'type d',
    ]);
  });
  test('an import of nothing but inline types still runs the module', () => {
    expect(kinds("import { type A } from './a.ts';")).toEqual(['value ./a.ts']);
  });
  test('a default import called type is a value', () => {
    expect(kinds("import type from 'a';\nimport type, { b } from 'b';")).toEqual(['value a', 'value b']);
  });
  test('importsOf follows re-exports', () => {
    expect(importsOf("export { a } from './a.ts';\nexport type { B } from './b.ts';\nexport * from './c.ts';\nexport * as d from './d.ts';")).toEqual([
      { specifier: './a.ts', line: 1, kind: 'value', reExport: true },
      { specifier: './b.ts', line: 2, kind: 'type', reExport: true },
      { specifier: './c.ts', line: 3, kind: 'value', reExport: true },
      { specifier: './d.ts', line: 4, kind: 'value', reExport: true },
    ]);
  });
  test('importsOf reads imports that span lines, and ones for their effect', () => {
    expect(kinds('import {\n  a, // the first\n  b,\n} from "x";\nimport \'./y.ts\';')).toEqual(['value x', 'value ./y.ts']);
  });
  test('an import in a comment or in a string does not count', () => {
    expect(kinds("/** import { a } from 'a'; */\nconst b = `import 'b'`;\n// import 'c'\nconst d = \"import('d')\";")).toEqual([]);
  });
  test('an export without from is no import', () => {
    expect(kinds("export const from = 'a';\nexport { b };\nconst c = 'c';")).toEqual([]);
  });
  test('importsOf tells a module that is loaded when reached from a type written in place', () => {
    expect(kinds("const a = await import('a');\ntype B = import('b').B;\nlet c: typeof import('c');")).toEqual(['dynamic a', 'type b', 'type c']);
  });
  test('a path of a module in a string is its address', () => {
    expect(kinds("new Worker(new URL('./writer.js', import.meta.url));\nconst text = './notes.md';")).toEqual(['address ./writer.js']);
  });
  test('each import has its line', () => {
    expect(importsOf("\n\nimport 'a';\n\nimport 'b';").map(({ line }) => line)).toEqual([3, 5]);
    expect(lineAt('a\nb', 2)).toBe(2);
  });
});

test('packageOf cuts a specifier down to the package', () => {
  expect(['lmdb', '@stoplog/core/port', 'node:fs/promises', 'rxjs/operators'].map(packageOf)).toEqual(['lmdb', '@stoplog/core', 'node:fs', 'rxjs']);
});
