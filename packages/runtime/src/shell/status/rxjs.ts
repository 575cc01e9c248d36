/**
 * Loads rxjs when the status of an app is first read.
 *
 * The two hundred files of rxjs take a tenth of a second to load, which would delay the restart of an app after a crash.
 * `require` loads the same files as `import`.
 */
import { createRequire } from 'node:module';

export const rxjs = (): typeof import('rxjs') => createRequire(import.meta.url)('rxjs') as typeof import('rxjs');
