#!/usr/bin/env node
/** The command `stoplog`. */
import { main } from './commands/main.ts';

const code = await main(process.argv.slice(2));
// All is closed and flushed here; what a pipeline's module may have left open must not keep the process.
process.exit(code);
