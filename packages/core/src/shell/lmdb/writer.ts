/**
 * The writer thread: the only code of a process that opens write transactions.
 *
 * It runs no user code and no promise inside a transaction, and it is never terminated, only asked to end: a thread
 * that dies inside a write transaction takes the lock of the whole folder with it. Calls gather while the disk flushes;
 * each turn takes what waits into one transaction, flushes once, answers all, and wakes whoever waited on what grew.
 */
import { parentPort, workerData, type MessagePort } from 'node:worker_threads';
import { errorFromData, errorToData, isStoplogError, StoplogError } from '../../pure/errors.ts';
import { decodeCommit, type DecodedCommit } from '../../pure/log/commit-bytes.ts';
import { takeShare, type Waiting } from '../../pure/log/group-commit.ts';
import { FORMAT } from '../../pure/log/keyspace.ts';
import { formatKey } from '../../pure/log/meta.ts';
import type { WriterAnswer, WriterCall, WriterRequest } from '../../pure/log/writer-messages.ts';
import { admit } from './admit.ts';
import { applyCommit, applyEnsure, applyOpenGroup, applyOpenSource, applyOpenStore, EndsInTransaction, putMeta, readEnds, readMeta } from './apply.ts';
import { applyDeleteGroup, applyDeleteTopic, applySetPositions, isLeftToSweep, sweep } from './administer.ts';
import { Cleanups } from './cleanups.ts';
import { applyFile } from './file-identity.ts';
import { applyDeleteRecords } from './forget.ts';
import { Maintenance, MAINTENANCE } from './maintenance.ts';
import { failpoint } from '../failpoint.ts';
import { clockOf, openEnv, stats, type Env, type EnvOptions } from './env.ts';
import { checkTables, describeIo, examineFolder, markFolder } from './folder.ts';
import { ForeignCommits } from './foreign.ts';
import { applyBeat, applyGroupEvent, applyJoin, readGroupRecord } from './groups.ts';
import type { HostAnswer, HostMessage } from './host-messages.ts';
import { processStarted } from './process.ts';
import { applyForgetProducers, applyOpenProducer, silentProducers } from './producers.ts';
import { Sessions } from './sessions.ts';
import { inodeIn, openDataFile, type DataFile } from './slack.ts';
import { transactions } from './transactions.ts';
import { removeDead } from './unfinished.ts';
import { groupWaitKey, partitionWaitKey, Waits } from './waits.ts';

export interface WriterData {
  readonly env: EnvOptions;
  readonly gate: SharedArrayBuffer;
}

/** How often the folder is opened anew where its data file is another one by then. */
const ATTEMPTS = 10;
/** Within this time of a foreign commit every look asks all who wait; after it, one look in as long does. */
const SETTLED_MS = 1_000;
/** How often slots of dead readers are cleared, so that they do not keep old pages from reuse. */
const READER_CHECK_MS = 30_000;
/** How often producers that were silent for days are looked for. */
const PRODUCER_CHECK_MS = 3_600_000;

type Outcome = WriterAnswer extends infer A ? (A extends { readonly id: number } ? Omit<A, 'id'> : never) : never;
/** A call in the queue: what it does inside a transaction, and whom it answers. */
interface Pending extends Waiting {
  /** Whose commit it is. */
  readonly life: string | undefined;
  readonly apply: (ends: EndsInTransaction) => Outcome;
  readonly answer: (outcome: Outcome) => void;
}

const { env: envOptions, gate: gateBuffer } = workerData as WriterData;
const gate = new Int32Array(gateBuffer);
const host = parentPort!;

type Transact = ReturnType<typeof transactions>;

const main = async (): Promise<void> => {
  let env: Env;
  let file: DataFile;
  let transact: Transact;
  try {
    ({ env, file } = await openFiles(envOptions.path));
    transact = transactions(env, envOptions, gate, file);
    initialise(env, transact, file);
  } catch (error) {
    host.postMessage({ type: 'failed', error: errorToData(describeIo(envOptions.path, error)) } satisfies HostAnswer);
    host.close();
    return;
  }
  serve(env, transact, file);
  host.postMessage({ type: 'ready' } satisfies HostAnswer);
};

/** The environment, and the same file by itself: tried again where another has taken its place in between. */
const openFiles = async (path: string): Promise<{ readonly env: Env; readonly file: DataFile }> => {
  for (let n = 1; ; n++) {
    const isOurs = examineFolder(path) === 'ours';
    if (isOurs) removeDead(path, 'shrink');
    const before = inodeIn(path);
    const env = openEnv(envOptions, false, isOurs ? undefined : (tables) => checkTables(path, tables));
    const file = openDataFile(path);
    if (before === undefined || before === file.inode || n === ATTEMPTS) return { env, file };
    file.close();
    await env.root.close();
  }
};

const initialise = (env: Env, inTransaction: Transact, file: DataFile): void => {
  const isMarked = examineFolder(envOptions.path) === 'ours';
  // It lengthens the file before the mark is set: from then on a file that is too short is one that was cut.
  inTransaction(() => {
    if (readMeta<number>(env, formatKey()) === undefined) {
      if (isMarked) throw hidden(envOptions.path);
      putMeta(env, formatKey(), FORMAT);
    }
    applyFile(env, file.inode);
  });
  markFolder(envOptions.path);
};

/** Without its names a log would look empty, and give its numbers again. */
const hidden = (path: string): StoplogError =>
  new StoplogError(
    'STOPLOG_LOG_CORRUPT',
    { path, table: 'meta', reason: 'missing' },
    `the names in ${path} cannot be found, though it was marked as a log when they were there: the disk or a foreign program changed the data file. Nothing was written; restore the folder from a backup, or keep the rest with 'stoplog repair'`,
  );

const serve = (env: Env, inTransaction: Transact, file: DataFile): void => {
  const cleanups = new Cleanups(env, clockOf(envOptions.clock));
  const queue: Pending[] = [];
  const waits = new Waits();
  /** Lives of actors that a commit was refused to: what they send after it was made from it. */
  const refused = new Set<string>();
  let turn: NodeJS.Immediate | undefined;
  let closing = false;
  let seenTxn = stats(env).lastTxnId;

  const enqueue = (pending: Pending): void => {
    queue.push(pending);
    turn ??= setImmediate(run);
  };
  /** One turn: the share of the queue, one transaction, one flush, all answers. */
  const run = (): void => {
    turn = undefined;
    const share = queue.splice(0, takeShare(queue));
    if (share.length === 0) return;
    if (!transact(share)) for (const pending of share) transact([pending], true);
    if (queue.length > 0) turn ??= setImmediate(run);
  };
  /** False when the transaction was taken back and its calls are to be tried one by one. */
  const transact = (share: readonly Pending[], alone = share.length === 1): boolean => {
    const outcomes: Outcome[] = [];
    let grown: ReturnType<EndsInTransaction['write']> = [];
    try {
      inTransaction(() => {
        failpoint('lock.taken');
        outcomes.length = 0;
        const ends = new EndsInTransaction(env);
        for (const pending of share) outcomes.push(attempt(pending, ends, refused));
        grown = ends.write();
        // The commit shows before it is flushed, and a thread takes a while to wake: who waits is told now, and looks when it shows.
        waits.wake(grown.map(({ topicId, partition }) => partitionWaitKey(topicId, partition)));
      });
    } catch (error) {
      if (!alone) return false;
      const data = errorToData(describeIo(envOptions.path, error));
      for (const { life } of share) if (life !== undefined) refused.add(life);
      for (const pending of share) pending.answer({ type: 'failed', error: data });
      return true;
    }
    failpoint('append.committed');
    share.forEach((pending, i) => pending.answer(outcomes[i]!));
    waits.wake(grown.map(({ topicId, partition }) => partitionWaitKey(topicId, partition)));
    return true;
  };

  // A commit shows in the id a moment before it shows in a snapshot, for LMDB writes its meta page first and the number that
  // readers take their snapshot by after it. So one look more at a new id is not enough: all are asked for a second.
  let changedAt = -Infinity;
  let wokeAt = -Infinity;
  const foreign = new ForeignCommits(envOptions.path, () => {
    if (waits.size === 0) return foreign.stop();
    const now = performance.now();
    const { lastTxnId } = stats(env);
    if (lastTxnId !== seenTxn) changedAt = now;
    seenTxn = lastTxnId;
    if (now - changedAt > SETTLED_MS && now - wokeAt < SETTLED_MS) return;
    wokeAt = now;
    env.root.resetReadTxn();
    waits.wake();
  });

  const addWait = (port: MessagePort, call: WriterRequest & { readonly type: 'wait' | 'wait-group' }, forget: Map<number, () => void>): void => {
    let outcome: Outcome = { type: 'done' };
    const isOver = (): boolean =>
      call.type === 'wait' ? readEnds(env, call.topicId, call.partition).end > call.offset : readGroupRecord(env, call.groupId).version !== call.version;
    const wait = {
      key: call.type === 'wait' ? partitionWaitKey(call.topicId, call.partition) : groupWaitKey(call.groupId),
      isOver: () => {
        try {
          return isOver();
        } catch (error) {
          // Damage in one place ends those who wait there, not the writer of everybody.
          outcome = { type: 'failed', error: errorToData(describeIo(envOptions.path, error)) };
          return true;
        }
      },
      answer: () => {
        forget.delete(call.id);
        port.postMessage({ ...outcome, id: call.id });
      },
    };
    env.root.resetReadTxn();
    if (wait.isOver()) return wait.answer();
    forget.set(call.id, waits.add(wait));
    foreign.start();
  };

  const groupChanged = (groupId: number): void => {
    env.root.resetReadTxn();
    waits.wake([groupWaitKey(groupId)]);
  };
  const sessions = new Sessions(env, {
    beat: (groupId, id, isMember) => {
      let still = true;
      const apply = (): Outcome => {
        still = applyBeat(env, groupId, id, Date.now());
        return { type: 'done' };
      };
      enqueue({ bytes: 0, life: undefined, apply, answer: () => isMember(still) });
    },
    expire: (groupId, { id, beat, why }) => {
      const apply = (): Outcome => {
        applyGroupEvent(env, groupId, { type: 'expire', id, beat, why });
        return { type: 'done' };
      };
      enqueue({ bytes: 0, life: undefined, apply, answer: () => groupChanged(groupId) });
    },
  });

  /** A member whose log is closed works on nothing. */
  const leave = (groupId: number, instance: string): void => {
    sessions.leave(groupId, instance);
    const apply = prepare(env, { type: 'leave', groupId, instance }, cleanups);
    if (!closing) enqueue({ bytes: 0, life: undefined, apply, answer: () => groupChanged(groupId) });
  };

  const pace = { ...MAINTENANCE, ...envOptions.maintenance };
  const maintenance = new Maintenance(
    env,
    cleanups,
    pace,
    (apply) =>
      new Promise((resolve, reject) => {
        let result: ReturnType<typeof apply>;
        enqueue({
          bytes: 0,
          life: undefined,
          apply: (ends) => {
            result = apply(ends);
            return { type: 'done' };
          },
          answer: (outcome) => (outcome.type === 'failed' ? reject(errorFromData(outcome.error)) : resolve(result)),
        });
      }),
  );

  const links = new Set<MessagePort>();
  const addLink = (port: MessagePort): void => {
    links.add(port);
    const forget = new Map<number, () => void>();
    /** Members that joined by this link, and their groups. */
    const members = new Map<string, number>();
    port.on('message', (request: WriterRequest) => {
      if (request.type === 'forget') {
        forget.get(request.id)?.();
        forget.delete(request.id);
      } else if (request.type === 'wait' || request.type === 'wait-group') {
        addWait(port, request, forget);
      } else if (request.type === 'reports') {
        port.postMessage({ type: 'reports', unsaved: maintenance.reports.unsaved, id: request.id });
      } else if (request.type === 'clean') {
        const answer = (outcome: Outcome): void => port.postMessage({ ...outcome, id: request.id });
        forgetProducers(request.options.now);
        maintenance.clean(request.options).then(
          (cleaned) => answer({ type: 'cleaned', cleaned }),
          (error: unknown) => answer({ type: 'failed', error: errorToData(describeIo(envOptions.path, error)) }),
        );
      } else {
        enqueue({
          bytes: request.type === 'commit' ? request.bytes.byteLength : 0,
          life: request.type === 'commit' ? request.life : undefined,
          apply: prepare(env, request, cleanups),
          answer: (outcome) => {
            port.postMessage({ ...outcome, id: request.id });
            if (request.type === 'delete-records') maintenance.startsMoved(request.before);
            if (request.type === 'ensure') cleanups.refresh();
            if (request.type === 'join' && outcome.type === 'done') {
              members.set(request.instance, request.groupId);
              sessions.enter(request.groupId, request.instance, request.sessionMs);
              if (!links.has(port)) leave(request.groupId, request.instance);
            } else if (request.type === 'leave') {
              members.delete(request.instance);
              sessions.leave(request.groupId, request.instance);
            }
            if (request.type === 'join' || request.type === 'leave' || request.type === 'release') groupChanged(request.groupId);
          },
        });
      }
    });
    port.on('close', () => {
      links.delete(port);
      for (const undo of forget.values()) undo();
      forget.clear();
      for (const [instance, groupId] of members) leave(groupId, instance);
    });
  };

  // What a process left that was ended while it freed the bytes of a deleted topic or store.
  const sweepOn = (): void => {
    if (!closing)
      enqueue({
        bytes: 0,
        life: undefined,
        apply: () => ({ type: 'swept', left: sweep(env) }),
        answer: (outcome) => outcome.type === 'swept' && outcome.left && sweepOn(),
      });
  };
  if (isLeftToSweep(env)) sweepOn();
  function forgetProducers(now: number = cleanups.now()): void {
    try {
      env.root.resetReadTxn();
      if (silentProducers(env, now).length === 0) return;
    } catch {
      return; // Damage: the producer that is looked for next is told.
    }
    enqueue({
      bytes: 0,
      life: undefined,
      apply: () => {
        applyForgetProducers(env, now);
        return { type: 'swept', left: isLeftToSweep(env) };
      },
      answer: (outcome) => outcome.type === 'swept' && outcome.left && sweepOn(),
    });
  }
  const upkeep = Number.isFinite(pace.everyMs) ? setInterval(() => void maintenance.tick(), pace.everyMs) : undefined;
  if (Number.isFinite(pace.everyMs)) forgetProducers();
  const producerCheck = Number.isFinite(pace.everyMs) ? setInterval(forgetProducers, PRODUCER_CHECK_MS) : undefined;
  const readerCheck = setInterval(() => env.root.readerCheck(), READER_CHECK_MS);

  const close = async (): Promise<void> => {
    for (const { groupId, id } of sessions.all()) leave(groupId, id);
    closing = true;
    for (const timer of [upkeep, producerCheck, readerCheck]) clearInterval(timer);
    maintenance.stop();
    foreign.stop();
    while (queue.length > 0) run();
    // Whoever holds on to a link is told that it is over; it would keep this thread alive.
    for (const port of links) port.close();
    await env.root.close();
    file.close();
    host.postMessage({ type: 'closed' } satisfies HostAnswer);
    host.close();
  };
  host.on('message', (message: HostMessage) => {
    if (message.type === 'link') addLink(message.port);
    else void close();
  });
};

/** Refusals come before a call's first put: the transaction goes on without it. */
const REFUSALS: ReadonlySet<string> = new Set([
  'STOPLOG_FENCED',
  'STOPLOG_GROUP_ACTIVE',
  'STOPLOG_GROUP_UNKNOWN',
  'STOPLOG_TOPIC_SHAPE',
  'STOPLOG_STORE_VERSION',
  'STOPLOG_STORE_OWNER',
  'STOPLOG_OFFSET_OUT_OF_RANGE',
  'STOPLOG_SEQUENCE',
  'STOPLOG_END_MOVED',
]);

const attempt = ({ life, apply }: Pending, ends: EndsInTransaction, refused: Set<string>): Outcome => {
  try {
    if (life !== undefined && refused.has(life))
      throw new StoplogError(
        'STOPLOG_FENCED',
        { life },
        'an earlier commit of this actor was refused, and this one was made from it: nothing of it was kept, and nothing is to be done',
      );
    return apply(ends);
  } catch (error) {
    if (life !== undefined && isStoplogError(error) && error.code === 'STOPLOG_FENCED') refused.add(life);
    if (isStoplogError(error) && REFUSALS.has(error.code)) return { type: 'failed', error: errorToData(error) };
    throw error;
  }
};

/** What a call does inside a transaction; decoding happens before it. */
const prepare = (env: Env, call: Exclude<WriterCall, { readonly type: 'wait' | 'wait-group' | 'clean' | 'reports' }>, cleanups: Cleanups): Pending['apply'] => {
  switch (call.type) {
    case 'commit': {
      const commit: DecodedCommit = decodeCommit(call.bytes);
      return (ends) => ({ type: 'committed', offsets: applyCommit(env, commit, admit(env, commit.appends, ends, cleanups), ends, cleanups) });
    }
    case 'ensure':
      return () => {
        applyEnsure(env, call.topics);
        return { type: 'done' };
      };
    case 'delete-records':
      return (ends) => ({ type: 'starts', starts: applyDeleteRecords(call.before, ends) });
    case 'open-store':
      return () => ({ type: 'opened', storeId: applyOpenStore(env, call.part) });
    case 'open-group':
      return () => ({ type: 'group', groupId: applyOpenGroup(env, call.group), sourceIds: call.sources.map((source) => applyOpenSource(env, source)) });
    case 'open-producer':
      return () => ({ type: 'producer', producer: applyOpenProducer(env, call.name, call.held, cleanups.now()) });
    case 'join': {
      const { groupId, instance: id, instanceId, sessionMs, units } = call;
      const { pid } = process;
      return () => {
        applyJoin(env, groupId, {
          id,
          ...(instanceId === undefined ? {} : { instanceId }),
          sessionMs,
          units,
          pid,
          started: processStarted(pid),
          now: Date.now(),
        });
        return { type: 'done' };
      };
    }
    case 'release':
      return () => {
        applyGroupEvent(env, call.groupId, { type: 'release', id: call.instance, keeps: call.keeps });
        return { type: 'done' };
      };
    case 'leave':
      return () => {
        applyGroupEvent(env, call.groupId, { type: 'leave', id: call.instance });
        return { type: 'done' };
      };
    case 'set-positions':
      return () => {
        applySetPositions(env, call.group, call.lines);
        return { type: 'done' };
      };
    case 'delete-group':
      return () => {
        applyDeleteGroup(env, call.group);
        return { type: 'done' };
      };
    case 'delete-topic':
      return () => {
        applyDeleteTopic(env, call.topic);
        return { type: 'done' };
      };
    case 'sweep':
      return () => ({ type: 'swept', left: sweep(env) });
  }
};

void main();
