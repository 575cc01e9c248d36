import { expect, test } from 'vitest';
import { append } from './append.ts';
import type { Command } from './command.ts';
import { describe as describeCommand } from './describe.ts';
import { linesOf } from './lines.ts';
import { run } from './run.ts';
import { tail } from './tail.ts';
import { topics } from './topics.ts';

const split = async (...chunks: (string | Uint8Array)[]): Promise<readonly string[]> => {
  const source = async function* (): AsyncGenerator<Uint8Array> {
    for (const chunk of chunks) yield typeof chunk === 'string' ? Buffer.from(chunk) : chunk;
  };
  const lines: string[] = [];
  for await (const line of linesOf(source())) lines.push(Buffer.from(line).toString('latin1'));
  return lines;
};

test('a line ends at a newline, not at the end of a chunk, and the last line at the end of the input', async () => {
  expect(await split('a\nb\r\n', 'c', 'd', '\n\ne')).toEqual(['a', 'b', 'cd', '', 'e']);
  expect(await split('a\r', '\nb\n')).toEqual(['a', 'b']);
  expect(await split()).toEqual([]);
});
test('no other character ends a line, and no byte is lost', async () => {
  expect(await split('a\rb\u2028c\u0085\n')).toEqual([Buffer.from('a\rb\u2028c\u0085').toString('latin1')]);
  expect(await split(new Uint8Array([0xff, 0, 0x0a, 0xfe]))).toEqual(['\u00ff\u0000', '\u00fe']);
});
test('a line longer than any record is refused before it fills the memory', async () => {
  const endless = Array.from({ length: 110 }, () => new Uint8Array(1 << 20));
  await expect(split(...endless)).rejects.toMatchObject({ code: 'STOPLOG_RECORD_TOO_LARGE' });
});

test('the help of every command begins with examples and names each of its options', () => {
  for (const command of [run, describeCommand, topics, tail, append] satisfies Command[]) {
    expect(command.help).toMatch(/^Examples\n {2}\S/);
    for (const option of Object.keys(command.options)) expect(command.help).toContain(`--${option}`);
  }
});
