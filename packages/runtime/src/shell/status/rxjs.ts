/**
 * rxjs, loaded when somebody first looks at the status of an app.
 *
 * Its two hundred files take a tenth of a second, and an app that is started again after a crash has better things to do
 * with that. `require` loads the very files that `import` would.
 */
import { createRequire } from 'node:module';

export const rxjs = (): typeof import('rxjs') => createRequire(import.meta.url)('rxjs') as typeof import('rxjs');
