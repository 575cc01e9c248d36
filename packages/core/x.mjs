// foreign latency
import { spawn } from 'node:child_process'; import { rmSync } from 'node:fs';
import { lmdb } from '@stoplog/core/lmdb'; import { openPort } from '@stoplog/core/port';
import { append, never, place, shape } from './src/shell/lmdb/fixtures/letters.mjs';
rmSync('/tmp/lat',{recursive:true,force:true});
const c = spawn(process.execPath, ['src/shell/lmdb/fixtures/echo.mjs','/tmp/lat'],{cwd:'packages/core',stdio:['pipe','pipe','inherit']});
await new Promise(r=>c.stdout.once('data',r));
const log = await openPort(lmdb('/tmp/lat')); await log.ensure([shape]);
const lats=[]; let offset=0n;
for (let i=0;i<60;i++){ const a=log.fetch({...place(1),offset},{bytes:1,waitMs:Infinity},never); const t=performance.now(); await append(log,0,['m'+i]); offset=(await a).next; lats.push(performance.now()-t); await new Promise(r=>setTimeout(r,30)); }
lats.sort((a,b)=>a-b); console.log('round trip ms median',lats[30].toFixed(2),'p95',lats[57].toFixed(2),'max',lats[59].toFixed(2));
await append(log,0,['end']); await log[Symbol.asyncDispose]();
