/**
 * The fenced blocks of a document, with the line each begins on, and the commands and outputs of a transcript.
 *
 *     <!-- replay -->                    a transcript that the tests replay; `replay in examples` names the folder to do it in
 *     ```console
 *     $ stoplog topics                   a command
 *     words   4 partitions   … records   its output; `…` stands for any text, alone on a line for any lines
 *     ```
 */
export interface Block {
  readonly language: string;
  /** The line of the first line inside the fence. */
  readonly line: number;
  readonly text: string;
  /** The HTML comment right above the fence, without its marks. */
  readonly remark: string | undefined;
}
export interface Document {
  readonly path: string;
  readonly blocks: readonly Block[];
}
export interface Exchange {
  readonly command: string;
  readonly line: number;
  readonly output: readonly string[];
}

export const blocksOf = (markdown: string): readonly Block[] => {
  const lines = markdown.split('\n');
  const blocks: Block[] = [];
  for (let at = 0; at < lines.length; at++) {
    const opening = /^( *)(`{3,}|~{3,})\s*([\w-]*)/.exec(lines[at]!);
    if (opening === null) continue;
    const [, indent, fence, language] = opening as unknown as readonly [string, string, string, string];
    const end = lines.findIndex((line, i) => i > at && line.trim().startsWith(fence) && line.trim().length >= fence.length);
    const until = end === -1 ? lines.length : end;
    const inside = lines.slice(at + 1, until).map((line) => (line.startsWith(indent) ? line.slice(indent.length) : line));
    blocks.push({ language, line: at + 2, text: inside.join('\n'), remark: remarkAbove(lines, at) });
    at = until;
  }
  return blocks;
};

const remarkAbove = (lines: readonly string[], at: number): string | undefined => {
  const above = lines.slice(0, at).findLast((line) => line.trim() !== '');
  return above === undefined ? undefined : /^\s*<!--\s*(.*?)\s*-->\s*$/.exec(above)?.[1];
};

/** The name a TypeScript block gives itself in its first line: `// pipeline.ts`. */
export const nameOf = ({ text }: Block): string | undefined => /^\/\/ ([\w./-]+\.ts)\s*$/.exec(text.split('\n')[0]!)?.[1];

export const exchangesOf = ({ text, line }: Block): readonly Exchange[] => {
  const exchanges: { command: string; line: number; output: string[] }[] = [];
  text.split('\n').forEach((said, i) => {
    if (said.startsWith('$ ')) exchanges.push({ command: said.slice(2), line: line + i, output: [] });
    else exchanges.at(-1)?.output.push(said);
  });
  return exchanges;
};

/** True when the output is the one in the document. Spaces at the ends of lines and blank lines at the end do not count. */
export const agrees = (shown: readonly string[], printed: readonly string[]): boolean => {
  const pattern = trimmed(shown)
    .map((line) => (line.trim() === '…' ? '(?:.*\\n)*' : `${line.split('…').map(escaped).join('.*')} *\\n`))
    .join('');
  return new RegExp(`^${pattern}$`).test(
    trimmed(printed)
      .map((line) => `${line}\n`)
      .join(''),
  );
};

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const trimmed = (lines: readonly string[]): readonly string[] => {
  const kept = lines.map((line) => line.trimEnd());
  while (kept.at(-1) === '') kept.pop();
  return kept;
};
