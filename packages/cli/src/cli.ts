#!/usr/bin/env node
/** The command `stoplog`. */
import { main } from './commands/main.ts';

const code = await main(process.argv.slice(2));
// The log is closed and the output flushed by now; a handle that a pipeline's module left open must not keep the process alive.
process.exit(code);
