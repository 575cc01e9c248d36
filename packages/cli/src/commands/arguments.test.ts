import { describe, expect, test } from 'vitest';
import { type Arguments, readArguments } from './arguments.ts';
import { logArgument } from './log-argument.ts';

const read = (...argv: string[]): Arguments =>
  readArguments({ name: 'tail', operands: ['a topic'], options: { from: 'text', limit: 'text', json: 'flag' } }, argv);

describe('a command line', () => {
  test('options may stand anywhere, in any form', () => {
    for (const argv of [
      ['x', '--from', 'latest', '--json', '--limit', '3'],
      ['--limit=3', '--json', 'x', '--from=latest'],
    ]) {
      const given = read(...argv);
      expect([given.operands, given.text('from'), given.flag('json'), given.number('limit', 1)]).toEqual([['x'], 'latest', true, 3]);
    }
  });
  test('a value that begins with a dash is accepted after =, or if it is a number', () => {
    expect(read('x', '--from=-1').text('from')).toBe('-1');
    expect(read('x', '--from', '-12').text('from')).toBe('-12');
    expect(() => read('x', '--from', '-1d')).toThrow(/write --from=-1d/);
  });
  test('only an optional operand may be left out', () => {
    const optional = (...argv: string[]): readonly string[] =>
      readArguments({ name: 'describe', operands: [], optional: 'a module', options: {} }, argv).operands;
    expect([optional(), optional('x')]).toEqual([[], ['x']]);
    expect(() => optional('x', 'y')).toThrow(/what to do with 'y'/);
  });
  test('an unknown option is refused with a suggestion', () => {
    expect(() => read('x', '--form', 'y')).toThrow(/no option --form\. Did you mean '--from'\?/);
    expect(() => read('x', '--zzz')).toThrow(/no option --zzz\. See 'stoplog tail --help'/);
    expect(() => read('x', '--__proto__')).toThrow(/no option --__proto__/);
  });
  test('a missing or surplus operand is refused', () => {
    expect(() => read()).toThrow(/needs a topic/);
    expect(() => read('x', 'y\u001b')).toThrow(/what to do with 'y\\u001b'/);
    expect(() => read('x', '--from')).toThrow(/--from needs a value/);
    expect(() => read('x', '--json=yes')).toThrow(/--json takes no value/);
    expect(() => read('x', '--from', 'a', '--from=b')).toThrow(/--from is given twice: give it once/);
    expect(() => read('x', '--limit', '4').number('limit', 1, 3)).toThrow(/give a whole number from 1 to 3\./);
    for (const limit of ['0', '1.5', 'all', '1e3', '99999999999999999999'])
      expect(() => read('x', '--limit', limit).number('limit', 1)).toThrow(/give a whole number from 1 on/);
  });
});

describe('--log', () => {
  test('--log is ./data by default, and otherwise names a kind and a location', () => {
    expect(logArgument(undefined, { create: true })).toMatchObject({ text: 'lmdb:./data', ref: { options: { path: expect.stringMatching(/\/data$/) } } });
    expect(logArgument('lmdb:/a/b', { create: false }).ref.options).toEqual({ path: '/a/b', create: false });
    expect(logArgument('lmdb:/a/b?groupMayWrite', { create: true }).ref.options).toEqual({ path: '/a/b', groupMayWrite: true });
  });
  test('--log with an unknown kind, or without one, is refused with the kinds that exist', () => {
    expect(() => logArgument('kafka://b1:9092', { create: true })).toThrow(/no log of the kind 'kafka', only lmdb/);
    expect(() => logArgument('./data', { create: true })).toThrow(/give --log lmdb:FOLDER/);
    expect(() => logArgument('C:\\data', { create: true })).toThrow(/give --log lmdb:FOLDER/);
    expect(() => logArgument('lmdb:', { create: true })).toThrow(/names no folder/);
  });
});
