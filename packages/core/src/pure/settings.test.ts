/** Declarations of a module whose types were stripped are checked when they are made. */
import { lmdb } from '@stoplog/core/lmdb';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { store } from './store/store.ts';
import { compactedTopic, topic } from './topic/topic.ts';

/** Removes the types of a declaration. */
const untyped =
  <A extends readonly unknown[]>(declare: (...args: A) => unknown, ...args: readonly unknown[]): (() => unknown) =>
  () =>
    declare(...(args as unknown as A));
const text = z.string();
const said = (message: RegExp): object => expect.objectContaining({ code: 'STOPLOG_USAGE', message: expect.stringMatching(message) });

describe('a declaration whose types were never checked', () => {
  test.each([
    ['a setting that is mistyped', untyped(topic, 'a', { key: text, value: text, partitons: 3 }), /topic 'a' knows no setting 'partitons'.*partitions/],
    ['one of another kind of topic', untyped(topic, 'a', { key: text, value: text, deleteRetention: 3 }), /topic 'a' knows no setting 'deleteRetention'/],
    ['a codec that does not say whose', untyped(topic, 'a', { key: text, value: text, codec: 'msgpack' }), /the codec of topic 'a'.*key, value/],
    ['a codec of something else', untyped(topic, 'a', { key: text, value: text, codec: { body: 'json' } }), /the codec of topic 'a' knows no setting 'body'/],
    ['no settings', untyped(topic, 'a'), /topic 'a' needs settings/],
    ['no schema', untyped(topic, 'a', { key: text }), /the value of topic 'a' is no schema: give one of zod 4/],
    ['a schema that is none', untyped(topic, 'a', { key: 'string', value: text }), /the key of topic 'a' is no schema: give one of zod 4/],
    [
      'a schema of zod 3',
      untyped(compactedTopic, 'a', { key: text, value: { _def: { typeName: 'ZodString' }, parse: String } }),
      /the value of topic 'a' is no schema: give one of zod 4/,
    ],
    ['a store with a topic’s setting', untyped(store, 's', { key: text, value: text, partitions: 2 }), /store 's' knows no setting 'partitions'/],
    ['a store without a key', untyped(store, 's', { value: text }), /the key of store 's' is no schema/],
    ['a log', untyped(lmdb, './data', { mapsize: 5 }), /lmdb\('.\/data'\) knows no setting 'mapsize'.*mapSize/],
    ['its maintenance', untyped(lmdb, './data', { maintenance: { every: 5 } }), /maintenance of lmdb\('.\/data'\) knows no setting 'every'/],
  ])('%s is refused', (_, declare, message) => expect(declare).toThrow(said(message)));
  test('every valid setting is accepted', () => {
    const all = { key: text, value: text, partitions: 1, codec: { value: 'msgpack' }, retention: 1_000, timestamps: 'arrival', reads: 'parsed' } as const;
    expect(topic('a', { ...all, retention: 1_000 as never }).name).toBe('a');
  });
});
