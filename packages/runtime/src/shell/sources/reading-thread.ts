/**
 * The thread that reads sources: it imports the pipeline for its declarations, and runs none of its handlers.
 *
 * So a handler that computes for a minute delays no heartbeat and no poll: the leases of a queue stay valid, and so does the
 * membership in a foreign consumer group. One thread serves all sources of a process, because they mostly wait.
 */
import { parentPort, type MessagePort } from 'node:worker_threads';
import { StoplogError } from '@stoplog/core';
import { errorToData } from '@stoplog/core/kit';
import type { FromReader } from '../../pure/sources/reading-messages.ts';
import type { Plan } from '../../pure/topology/plan.ts';
import { loadPlan, markActorThread } from '../load-plan.ts';
import { serveReader } from './serve-reader.ts';

/** Serves the named source of a pipeline over a port. */
export interface Serve {
  readonly url: string;
  readonly source: string;
  readonly port: MessagePort;
}

markActorThread();
const plans = new Map<string, Promise<Plan>>();
const planAt = (url: string): Promise<Plan> => {
  const known = plans.get(url) ?? loadPlan(url);
  plans.set(url, known);
  return known;
};

const serve = async ({ url, source, port }: Serve): Promise<void> => {
  try {
    const found = (await planAt(url)).tasks.find((task) => task.source?.name === source)?.source;
    if (found?.decode === undefined)
      throw new StoplogError('STOPLOG_PIPELINE_MODULE', { url, source }, `the pipeline has no source '${source}' in this thread`);
    await serveReader(found, port);
  } catch (error) {
    port.postMessage({ type: 'failed', call: undefined, error: errorToData(error) } satisfies FromReader);
  }
};
parentPort?.on('message', (message: Serve) => void serve(message));
