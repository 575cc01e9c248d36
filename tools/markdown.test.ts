import { describe, expect, test } from 'vitest';
import { agrees, blocksOf, exchangesOf, nameOf } from './markdown.ts';

const fence = '```';

describe('blocksOf', () => {
  test('blocksOf finds each block, its language and its line', () => {
    expect(blocksOf(`# a\n\n${fence}ts\nlet a;\nlet b;\n${fence}\ntext\n${fence}\nplain\n${fence}\n`)).toEqual([
      { language: 'ts', line: 4, text: 'let a;\nlet b;', remark: undefined },
      { language: '', line: 9, text: 'plain', remark: undefined },
    ]);
  });
  test('a longer fence holds a shorter one, an indented one loses its indent', () => {
    expect(blocksOf(`${fence}\`md\n${fence}ts\n${fence}\n${fence}\`\n  ${fence}ts\n  a\n  ${fence}`).map(({ text }) => text)).toEqual([
      `${fence}ts\n${fence}`,
      'a',
    ]);
  });
  test('blocksOf reads the remark above a fence', () => {
    expect(blocksOf(`<!-- replay in examples -->\n\n${fence}console\n${fence}`)[0]?.remark).toBe('replay in examples');
  });
  test('a block may give itself a name', () => {
    expect(blocksOf(`${fence}ts\n// words/pipeline.ts\n${fence}${'\n'}${fence}ts\n// just words\n${fence}`).map(nameOf)).toEqual([
      'words/pipeline.ts',
      undefined,
    ]);
  });
});

describe('a transcript', () => {
  test('a transcript is a list of commands with their outputs', () => {
    expect(exchangesOf({ language: 'console', line: 10, text: '$ a\none\ntwo\n$ b', remark: 'replay' })).toEqual([
      { command: 'a', line: 10, output: ['one', 'two'] },
      { command: 'b', line: 13, output: [] },
    ]);
  });
  test.each([
    [['a 1 b'], ['a 1 b'], true],
    [['a … b'], ['a 17 b'], true],
    [['a … b'], ['a 17 c'], false],
    [['first', '…', 'last'], ['first', 'x', 'y', 'last'], true],
    [['first', '…', 'last'], ['first', 'last', ''], true],
    [['first'], ['first', 'second'], false],
    [['a.b (c)'], ['axb (c)'], false],
    [[], [''], true],
  ])("the document's %j and the output %j agree: %s", (shown, printed, same) => expect(agrees(shown, printed)).toBe(same));
});
