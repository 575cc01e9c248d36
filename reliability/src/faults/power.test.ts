/** The recording is parsed correctly, and an image is possible for a disk: F9 itself is part of the long run. */
import { expect, test } from 'vitest';
import { imageAt, parseTrace, type Act } from './power.ts';

const hex = (text: string): string => [...Buffer.from(text)].map((byte) => `\\x${byte.toString(16).padStart(2, '0')}`).join('');
const [data, history] = [hex('/tmp/log/data.mdb'), hex('/tmp/history')];
const ok = `{"type":"ok","op":"send","process":"p","call":1,"offsets":{"0":0}}`;
const TRACE = `
11  openat(AT_FDCWD<${hex('/tmp')}>, "${data}", O_RDWR|O_CREAT, 0600) = 7<${data}>
11  openat(AT_FDCWD<${hex('/tmp')}>, "${data}", O_WRONLY|O_DSYNC|O_CLOEXEC) = 8<${data}>
11  pwrite64(7<${data}>, "${hex('page')}", 4, 8192) = 4
11  lseek(7<${data}>, 16384, SEEK_SET) = 16384
11  writev(7<${data}>, [{iov_base="${hex('ab')}", iov_len=2}, {iov_base="${hex('cd')}", iov_len=2}], 2) = 4
11  fdatasync(7<${data}> <unfinished ...>
12  write(9<${history}>, "${hex(`${ok}\n`)}", 60) = 60
11  <... fdatasync resumed>) = 0
11  pwrite64(8<${data}>, "${hex('meta')}", 4, 40) = 4
11  write(1<${hex('/dev/null')}>, "${hex('x')}", 1) = 1
11  ftruncate(7<${data}>, 65536) = 0
`;
test('a trace gives the writes to the data file, and the time of each acknowledgement', () => {
  expect(parseTrace(TRACE)).toEqual([
    { type: 'write', at: 8192, bytes: Buffer.from('page'), isFlushed: false },
    { type: 'write', at: 16384, bytes: Buffer.from('abcd'), isFlushed: false },
    { type: 'events', events: [JSON.parse(ok)] },
    { type: 'flush' },
    { type: 'write', at: 40, bytes: Buffer.from('meta'), isFlushed: true },
    { type: 'size', size: 65536 },
  ]);
});
test('flushed writes are in every image, in order, and other writes may be', () => {
  const write = (at: number, isFlushed = false): Act => ({ type: 'write', at, bytes: Buffer.alloc(1_024, at), isFlushed });
  const acts: readonly Act[] = [write(1), { type: 'flush' }, write(2, true), write(3), write(4)];
  const places = (image: readonly Act[]): readonly number[] => image.flatMap((act) => (act.type === 'write' ? [act.at] : []));
  const none = imageAt(acts, () => 0.99);
  expect([places(none.image), none.inDoubt]).toEqual([[1, 2], 2]);
  const seen = new Set<string>();
  for (let i = 0; i < 64; i++) {
    const numbers = [i / 64, ((i * 7) % 64) / 64, ((i * 13) % 64) / 64, ((i * 29) % 64) / 64, 0.3];
    let at = 0;
    const image = places(imageAt(acts, () => numbers[at++ % numbers.length]!).image);
    expect(image.slice(0, 2)).toEqual([1, 2]);
    seen.add(image.slice(2).join());
  }
  expect([...seen].sort()).toEqual(['', '3', '3,4', '4']);
});
