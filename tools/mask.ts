/**
 * Blanks out comments, and the insides of strings, templates and regular expressions, so that only code is left. Every
 * character keeps its place: an index into the masked text is an index into the source, and a line number stays a line
 * number.
 *
 *     const at = 'from "x"'; // import y          the source
 *     const at = '        ';                      masked
 *
 * The code inside `${…}` of a template stays: it is code.
 */
export const mask = (source: string): string => {
  const out = source.split('');
  scan(source, (from, to) => {
    for (let i = from; i < to; i++) if (out[i] !== '\n') out[i] = ' ';
  });
  return out.join('');
};

/** The index of each comment in the source: where it starts and where it ends. */
export const commentsIn = (source: string): readonly (readonly [from: number, to: number])[] => {
  const spans: (readonly [number, number])[] = [];
  scan(source, (from, to, isComment) => {
    if (isComment) spans.push([from, to]);
  });
  return spans;
};

/** Calls `found` for every span that is not code, from first to last. */
const scan = (source: string, found: (from: number, to: number, isComment: boolean) => void): void => {
  /** For every open `${`: the number of braces open inside it. */
  const templates: number[] = [];
  let at = 0;
  const template = (from: number): number => {
    let i = from;
    while (i < source.length && source[i] !== '`' && !(source[i] === '$' && source[i + 1] === '{')) i += source[i] === '\\' ? 2 : 1;
    found(from, Math.min(i, source.length), false);
    if (source[i] === '$') {
      templates.push(0);
      return i + 2;
    }
    return i + 1;
  };
  while (at < source.length) {
    const char = source[at]!;
    const next = source[at + 1];
    if (char === '/' && next === '/') {
      const end = endOr(source.indexOf('\n', at), source.length);
      found(at, end, true);
      at = end;
    } else if (char === '/' && next === '*') {
      const end = endOr(source.indexOf('*/', at + 2), source.length - 2) + 2;
      found(at, end, true);
      at = end;
    } else if (char === "'" || char === '"') {
      const end = closing(source, at, char);
      found(at + 1, end, false);
      at = end + 1;
    } else if (char === '`') {
      at = template(at + 1);
    } else if (char === '/' && startsRegExp(source.slice(Math.max(0, at - 40), at))) {
      const end = closingSlash(source, at);
      found(at + 1, end, false);
      at = end + 1;
    } else if (char === '{' && templates.length > 0) {
      templates[templates.length - 1]!++;
      at++;
    } else if (char === '}' && templates.at(-1) === 0) {
      templates.pop();
      at = template(at + 1);
    } else {
      if (char === '}' && templates.length > 0) templates[templates.length - 1]!--;
      at++;
    }
  }
};

/** The line, counted from 1, of the character at `index`. */
export const lineAt = (source: string, index: number): number => {
  let line = 1;
  for (let i = 0; i < index; i++) if (source.charCodeAt(i) === 10) line++;
  return line;
};

const endOr = (found: number, otherwise: number): number => (found === -1 ? otherwise : found);

const closing = (source: string, from: number, quote: string): number => {
  let i = from + 1;
  while (i < source.length && source[i] !== quote && source[i] !== '\n') i += source[i] === '\\' ? 2 : 1;
  return i;
};

const closingSlash = (source: string, from: number): number => {
  let inClass = false;
  let i = from + 1;
  while (i < source.length && source[i] !== '\n' && (inClass || source[i] !== '/')) {
    if (source[i] === '[') inClass = true;
    else if (source[i] === ']') inClass = false;
    i += source[i] === '\\' ? 2 : 1;
  }
  return i;
};

/** A slash divides after a value, and opens a regular expression after anything else. */
const startsRegExp = (before: string): boolean => {
  const text = before.trimEnd();
  return text === '' || /[(,=:[!&|?{};+\-*%<>~^]$/.test(text) || /(?:^|[^\w$.])(?:return|typeof|case|in|of|do|else|void|delete)$/.test(text);
};
