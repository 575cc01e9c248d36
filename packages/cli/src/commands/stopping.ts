/**
 * Ends a command: by Ctrl-C or SIGTERM, or because the package manager that started it is gone.
 *
 * A SIGTERM for `npx stoplog run` or `npm start` ends npm, which does not pass it on: without this, the command would go on as an
 * orphan that nobody knows of. A command that was started by hand may outlive its shell (`nohup`), so the parent is watched only
 * where the environment says that a package manager is it.
 */
import { onStopSignals } from '@stoplog/runtime/kit';

const LOOK_MS = 500;

/** Calls `first` once, with the signal to end by; returns how to stop listening. */
export const onStop = (first: (signal: NodeJS.Signals) => void): (() => void) => {
  let isStopping = false;
  const once = (signal: NodeJS.Signals): void => {
    if (isStopping) return;
    isStopping = true;
    first(signal);
  };
  const offSignals = onStopSignals(once);
  const offParent = onParentGone(() => once('SIGTERM'));
  return () => {
    offSignals();
    offParent();
  };
};

export const onParentGone = (gone: () => void): (() => void) => {
  // npm, pnpm, yarn and bun all set it, for npx and for scripts.
  if (process.env['npm_config_user_agent'] === undefined) return () => {};
  const parent = process.ppid;
  const timer = setInterval(() => {
    if (process.ppid === parent) return;
    clearInterval(timer);
    gone();
  }, LOOK_MS);
  timer.unref();
  return () => clearInterval(timer);
};
