import { describe, expect, test } from 'vitest';
import { failedAs, failureNames, retrying } from './failures.ts';

const failure = (apiId: string): Error => Object.assign(new Error(apiId), { apiId });

describe('a failure of the cluster', () => {
  test('names of the protocol are found in aggregates of aggregates and in causes', () => {
    const error = new AggregateError([new AggregateError([failure('ILLEGAL_GENERATION')]), new Error('other', { cause: failure('NOT_COORDINATOR') })]);
    expect([...failureNames(error)]).toEqual(['ILLEGAL_GENERATION', 'NOT_COORDINATOR']);
    expect(failedAs(error, 'FENCED_INSTANCE_ID', 'ILLEGAL_GENERATION')).toBe(true);
    expect(failedAs('no error at all', 'ILLEGAL_GENERATION')).toBe(false);
  });
  test('a call is repeated while its failure passes, and its answer is the first that comes', async () => {
    const answers = [failure('CONCURRENT_TRANSACTIONS'), failure('COORDINATOR_NOT_AVAILABLE'), 'done'];
    const call = (): Promise<string> => {
      const answer = answers.shift()!;
      return typeof answer === 'string' ? Promise.resolve(answer) : Promise.reject(answer);
    };
    expect(await retrying(call)).toBe('done');
  });
  test('a call whose failure does not pass, or passes too late, is not repeated', async () => {
    let calls = 0;
    const failing = (apiId: string) => (): Promise<never> => {
      calls++;
      return Promise.reject(failure(apiId));
    };
    await expect(retrying(failing('UNKNOWN_MEMBER_ID'))).rejects.toMatchObject({ apiId: 'UNKNOWN_MEMBER_ID' });
    await expect(retrying(failing('NETWORK_EXCEPTION'), 0)).rejects.toThrow('NETWORK_EXCEPTION');
    expect(calls).toBe(2);
  });
});
