/**
 * A process that may open few files, or has little address space, reports it by name; whatever the limit, nothing is torn.
 */
import { join } from 'node:path';
import type { Fault } from '../checkers/fault.ts';
import { readFinal } from '../flagship/final.ts';
import { judgeWhole } from '../flagship/verdict.ts';
import { Child } from '../harness/child.ts';
import type { UnitOutcome, UnitSetting } from '../long/stage.ts';

export const limits = async ({ folder, unit, send }: UnitSetting): Promise<UnitOutcome> => {
  const [data, history] = [join(folder, 'log'), join(folder, 'history')];
  await readFinal(data);
  const faults: Fault[] = [];
  const figures = { refused: 0, ran: 0 };
  const bounds =
    unit === 0 ? [24, 48, 64, 96, 116, 124, 128, 256].map((files) => `ulimit -n ${files}`) : [8, 32, 128].map((gib) => `ulimit -v ${gib * 1024 * 1024}`);
  let upTo = 0;
  for (const bound of bounds) {
    const child = new Child('flagship/app.child.js', [data, history, `under ${bound}`, `${(upTo += 500)}`, '100', 'end'], {
      under: ['bash', '-c', `${bound}; exec "$0" "$@"`],
      limitMs: 20_000,
    });
    const { code, signal, errors } = await child.ended;
    send(`${bound}: ${signal ?? code}`);
    if (code === 0) figures.ran++;
    else {
      figures.refused++;
      upTo -= 500;
      if (signal !== null)
        faults.push({ kind: 'stuck', what: signal === 'SIGKILL' ? `under ${bound} it neither ran nor ended` : `under ${bound} it died of ${signal}` });
      // Node itself may not start under the limit; its own message counts then.
      else if (code === 1 && !/STOPLOG_|EMFILE|ENOMEM|ERR_|Too many|memory/.test(errors))
        faults.push({ kind: 'stuck', what: `under ${bound} it ended with ${code} and no reason: ${errors.slice(0, 300)}` });
    }
    faults.push(...(await judgeWhole(data, history, upTo, undefined)).faults);
  }
  return { faults, figures };
};
