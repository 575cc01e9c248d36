/**
 * A history: the calls to a log and their answers, one line of JSON for each event, in the order of writing.
 *
 * A call is an `invoke`, and later `ok` (it happened), `fail` (it did not) or no answer: its process was killed, and the call
 * may have happened or not. Such a call must not be taken for failed. A line may be torn by a kill of its writer; it is
 * ignored, and the next line of any process starts on a new line.
 */
/** Texts by partition, in the order in which they are appended. */
export type Sent = Readonly<Record<string, readonly string[]>>;

export type Event =
  | { readonly type: 'invoke'; readonly op: 'send'; readonly process: string; readonly call: number; readonly topic: string; readonly values: Sent }
  /** `offsets` has the offset of the first record of each partition. */
  | { readonly type: 'ok'; readonly op: 'send'; readonly process: string; readonly call: number; readonly offsets: Readonly<Record<string, number>> }
  | { readonly type: 'fail'; readonly op: 'send'; readonly process: string; readonly call: number; readonly reason: string }
  | {
      readonly type: 'ok';
      readonly op: 'poll';
      readonly process: string;
      readonly topic: string;
      readonly partition: number;
      readonly from: number;
      readonly records: readonly (readonly [offset: number, value: string])[];
    }
  /** The reader was asked to stop, and has read to the end. */
  | { readonly type: 'ok'; readonly op: 'drained'; readonly process: string; readonly topic: string }
  /** A commit for a group: `stale` when its epoch or its positions are known to be old. */
  | { readonly type: 'ok' | 'fail'; readonly op: 'commit'; readonly process: string; readonly what: string; readonly stale: boolean; readonly reason?: string }
  | { readonly type: 'info'; readonly op: 'start' | 'fault' | 'settled'; readonly process: string; readonly what: string; readonly at: number };

export const parseHistory = (text: string): readonly Event[] =>
  text.split('\n').flatMap((line) => {
    if (line === '') return [];
    try {
      return [JSON.parse(line) as Event];
    } catch {
      return [];
    }
  });
