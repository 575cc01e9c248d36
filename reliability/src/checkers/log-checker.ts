/**
 * Compares a history with the remaining log: was every acknowledged record kept, in its place, once, and read in order?
 *
 * An unanswered record may be there or not, but a commit is there whole or not at all. A record that a reader got must still
 * be where the reader got it; between two of its records there must be no other.
 */
import type { Event } from '../history/history.ts';
import type { Fault, FaultKind } from './fault.ts';

/** The remaining records of a topic: offset and text of each, by partition. */
export type FinalTopic = readonly (readonly (readonly [offset: number, value: string])[])[];
export interface LogVerdict {
  readonly faults: readonly Fault[];
  readonly acknowledged: number;
  /** Sent, and never answered. */
  readonly inDoubt: number;
  readonly polled: number;
}

interface Send {
  readonly process: string;
  readonly topic: string;
  readonly values: Readonly<Record<string, readonly string[]>>;
  outcome: 'in doubt' | 'ok' | 'fail';
  offsets: Readonly<Record<string, number>>;
}
interface Place {
  readonly partition: number;
  readonly offset: number;
}

export const checkLog = (events: readonly Event[], final: ReadonlyMap<string, FinalTopic>): LogVerdict => {
  const faults: Fault[] = [];
  const report = (kind: FaultKind, what: string): void => void faults.push({ kind, what });
  const sends = sendsOf(events);
  for (const topic of new Set(sends.map((send) => send.topic)))
    checkSends(
      topic,
      sends.filter((send) => send.topic === topic),
      final.get(topic) ?? [],
      report,
    );
  const polled = checkPolls(events, final, report);
  for (const event of events) if (event.op === 'commit' && event.type === 'ok' && event.stale) report('stale commit', `${event.process}: ${event.what}`);
  const count = (outcome: Send['outcome']): number =>
    sends.filter((send) => send.outcome === outcome).reduce((sum, { values }) => sum + Object.values(values).reduce((all, { length }) => all + length, 0), 0);
  return { faults, acknowledged: count('ok'), inDoubt: count('in doubt'), polled };
};

const sendsOf = (events: readonly Event[]): readonly Send[] => {
  const sends = new Map<string, Send>();
  for (const event of events) {
    if (event.op !== 'send') continue;
    const name = `${event.process} ${event.call}`;
    const send = sends.get(name);
    if (event.type === 'invoke') sends.set(name, { process: event.process, topic: event.topic, values: event.values, outcome: 'in doubt', offsets: {} });
    else if (send !== undefined) {
      send.outcome = event.type;
      if (event.type === 'ok') send.offsets = event.offsets;
    }
  }
  return [...sends.values()];
};

const checkSends = (topic: string, sends: readonly Send[], final: FinalTopic, report: (kind: FaultKind, what: string) => void): void => {
  const places = placesOf(topic, final, report);
  const known = ownersOf(topic, sends, report);
  /** The offset of each producer's last record, by partition. */
  const last = new Map<string, number>();
  for (const send of sends) {
    let [there, all] = [0, 0];
    for (const [partition, values] of Object.entries(send.values)) {
      const base = send.offsets[partition];
      values.forEach((value, i) => {
        all++;
        if (known.get(value) !== send) return;
        const at = places.get(value);
        const here = `${topic}[${partition}] ${value}`;
        if (at === undefined) {
          if (send.outcome === 'ok') report('lost', `${here}, acknowledged at offset ${base === undefined ? 'none' : base + i}`);
          return;
        }
        there++;
        if (send.outcome === 'fail') report('aborted read', `${here} is there, and its sender was told that it failed`);
        if (send.outcome === 'ok' && (at.partition !== Number(partition) || at.offset !== base! + i))
          report('inconsistent offset', `${here} was acknowledged at ${base! + i}, and lies at [${at.partition}] ${at.offset}`);
        const order = `${send.process} ${partition}`;
        if (at.offset < (last.get(order) ?? -1)) report('reordered', `${here} lies at ${at.offset}, before what ${send.process} had sent before it`);
        last.set(order, at.offset);
      });
    }
    if (send.outcome !== 'ok' && there > 0 && there < all) report('torn', `${there} of the ${all} records of one commit of ${send.process} are there`);
  }
  for (const value of places.keys()) if (!known.has(value)) report('phantom', `${topic} holds ${value}, which nobody sent`);
};

/**
 * Decides which of several sends of a value counts: the acknowledged one, or else the last that may have happened. A failed
 * send, and one that a kill left unanswered, is repeated under the same name. An acknowledged send is not: a producer that
 * repeats it has not found the record, and its repetition would be where the lost one was.
 */
const ownersOf = (topic: string, sends: readonly Send[], report: (kind: FaultKind, what: string) => void): ReadonlyMap<string, Send> => {
  const owners = new Map<string, Send>();
  const rank = { ok: 2, 'in doubt': 1, fail: 0 };
  for (const send of sends) {
    for (const values of Object.values(send.values)) {
      for (const value of values) {
        const before = owners.get(value);
        if (before?.outcome === 'ok' && send.outcome === 'ok')
          report('lost', `${topic} ${value} was acknowledged to ${before.process}, and ${send.process} sent it again: it was not there`);
        if (before === undefined || rank[send.outcome] >= rank[before.outcome]) owners.set(value, send);
      }
    }
  }
  return owners;
};

/** The offset of each value; reports values that are there twice, or out of order. */
const placesOf = (topic: string, final: FinalTopic, report: (kind: FaultKind, what: string) => void): ReadonlyMap<string, Place> => {
  const places = new Map<string, Place>();
  final.forEach((records, partition) => {
    let before = -1;
    for (const [offset, value] of records) {
      if (offset === before) report('inconsistent offset', `${topic}[${partition}] ${offset} is there twice`);
      else if (offset < before) report('reordered', `${topic}[${partition}] ${offset} comes after ${before}`);
      before = offset;
      const first = places.get(value);
      if (first !== undefined) report('doubled', `${topic} ${value} at [${first.partition}] ${first.offset} and at [${partition}] ${offset}`);
      else places.set(value, { partition, offset });
    }
  });
  return places;
};

const checkPolls = (events: readonly Event[], final: ReadonlyMap<string, FinalTopic>, report: (kind: FaultKind, what: string) => void): number => {
  const kept = new Map([...final].map(([topic, partitions]) => [topic, partitions.map((records) => ({ records, at: new Map(records) }))]));
  /** The number of a partition's records before each reader's position. */
  const readers = new Map<string, { readonly first: number; passed: number }>();
  let polled = 0;
  for (const event of events) {
    if (event.op === 'drained') {
      kept.get(event.topic)?.forEach(({ records }, partition) => {
        const reader = readers.get(`${event.process} ${event.topic} ${partition}`);
        const unseen = records.filter(([offset]) => offset > (reader?.passed ?? -1)).length;
        if (unseen > 0) report('unseen tail', `${event.process} read ${event.topic}[${partition}] to the end, but ${unseen} records more are there`);
      });
    }
    if (event.op !== 'poll') continue;
    const { topic, partition, process, from } = event;
    const name = `${process} ${topic} ${partition}`;
    const reader = readers.get(name) ?? { first: from, passed: from - 1 };
    readers.set(name, reader);
    const place = kept.get(topic)?.[partition];
    for (const [offset, value] of event.records) {
      polled++;
      const here = `${topic}[${partition}] ${offset}`;
      if (offset <= reader.passed) report('non-monotonic poll', `${process} was given ${here} after ${reader.passed}`);
      const found = place?.at.get(offset);
      if (found === undefined) report('aborted read', `${process} was given ${value} at ${here}, where nothing is now`);
      else if (found !== value) report('inconsistent offset', `${process} was given ${value} at ${here}, where ${found} is now`);
      for (let between = reader.passed + 1; between < offset; between++)
        if (place?.at.has(between))
          report('skipped', `${process} went from ${reader.passed} to ${offset} of ${topic}[${partition}], past ${place.at.get(between)}`);
      reader.passed = Math.max(reader.passed, offset);
    }
  }
  return polled;
};
