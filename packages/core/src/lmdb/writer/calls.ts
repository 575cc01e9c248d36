/** The work of each call to the writer inside a transaction. Decoding happens before it. */
import { decodeCommit } from '../layout/commit-bytes.ts';
import type { WriterCall } from '../layout/writer-messages.ts';
import { applyDeleteGroup, applyDeleteTopic, applySetPositions, sweep } from '../transaction/administer.ts';
import { applyAdoption } from '../transaction/adopt.ts';
import { admit } from '../transaction/admit.ts';
import { applyCommit } from '../transaction/apply.ts';
import { applyEnsure, checkRebuild, applyOpenGroup, applyOpenSource, applyOpenStore } from '../transaction/declare.ts';
import { type EndsInTransaction } from '../transaction/ends.ts';
import type { Cleanups } from '../tables/cleanups.ts';
import type { Env } from '../tables/env.ts';
import { applyDeleteRecords } from '../cleaner/apply-cleaning.ts';
import { applyGroupEvent, applyJoin } from '../transaction/groups.ts';
import { ownStart } from '../folder/process.ts';
import { applyOpenProducer } from '../transaction/producers.ts';
import type { RefusedIncarnations } from '../transaction/refused-incarnations.ts';
import type { Apply } from './queue.ts';

/** The calls that are answered from a transaction; the others wait, or take several transactions. */
export type TransactedCall = Exclude<WriterCall, { readonly type: 'room' | 'wait' | 'wait-group' | 'clean' | 'reports' }>;

export const prepare = (env: Env, call: TransactedCall, cleanups: Cleanups, refused: RefusedIncarnations): Apply => {
  switch (call.type) {
    case 'commit': {
      const commit = decodeCommit(call.bytes);
      const claimed = { commit, incarnation: call.incarnation };
      return (ends) => ({ type: 'committed', offsets: applyCommit(env, commit, admit(env, claimed, refused, ends, cleanups), ends, cleanups) });
    }
    case 'ensure':
      return done(() => applyEnsure(env, call.topics, call.use));
    case 'delete-records':
      return (ends) => ({ type: 'starts', starts: applyDeleteRecords(call.before, ends) });
    case 'open-store':
      return () => ({ type: 'opened', storeId: applyOpenStore(env, call.part) });
    case 'open-group':
      return () => {
        if (!call.joins) checkRebuild(env, call.group);
        return { type: 'group', groupId: applyOpenGroup(env, call.group), sourceIds: call.sources.map((source) => applyOpenSource(env, source)) };
      };
    case 'open-producer':
      return () => ({ type: 'producer', producer: applyOpenProducer(env, call.name, call.held, cleanups.times.stamp()) });
    case 'join': {
      const { groupId, instance: id, instanceId, sessionMs, units } = call;
      const { pid } = process;
      return done(() =>
        applyJoin(env, groupId, {
          id,
          ...(instanceId === undefined ? {} : { instanceId }),
          sessionMs,
          units,
          pid,
          started: ownStart(),
          now: Date.now(),
        }),
      );
    }
    case 'release':
      return done(() => applyGroupEvent(env, call.groupId, { type: 'release', id: call.instance, keeps: call.keeps }));
    case 'leave':
      return done(() => applyGroupEvent(env, call.groupId, { type: 'leave', id: call.instance }));
    case 'set-positions':
      return done(() => applySetPositions(env, call.group, call.lines));
    case 'delete-group':
      return done(() => applyDeleteGroup(env, call.group));
    case 'delete-topic':
      return done(() => applyDeleteTopic(env, call.topic));
    case 'adopt-rebuild':
      return () => ({ type: 'adopted', outcome: applyAdoption(env, call.adoption) });
    case 'sweep':
      return () => ({ type: 'swept', left: sweep(env) });
  }
};

/** A call without an answer of its own. */
export const done =
  (apply: (ends: EndsInTransaction) => unknown): Apply =>
  (ends) => {
    apply(ends);
    return { type: 'done' };
  };
