import { appendFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { withFolder } from '../harness/folder.ts';
import type { Event } from './history.ts';
import { readHistory, witness } from './witness.ts';

test('a line that is torn by a kill costs no line of another process', async () => {
  await withFolder(async (folder) => {
    const path = join(folder, 'history');
    const event = (process: string): Event => ({ type: 'ok', op: 'drained', process, topic: 't' });
    expect(readHistory(path)).toEqual([]);
    witness(path)(event('first'));
    appendFileSync(path, '\n{"type":"invoke","op":"se');
    witness(path)(event('second'));
    expect(readHistory(path)).toEqual([event('first'), event('second')]);
  });
});
