/**
 * Ends a command: by Ctrl-C or SIGTERM, or because the package manager that started it is gone.
 *
 * A SIGTERM for `npx stoplog run` or `npm start` ends npm, which does not pass the signal on: the command would keep running
 * as an orphan. A command started by hand may outlive its shell (`nohup`), so the parent is watched only if the environment
 * shows that the parent is a package manager.
 */
import { onStopSignals } from '@stoplog/runtime/kit';

const LOOK_MS = 500;

/** Calls `first` once, with the signal that ends the command; returns a function that stops listening. */
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
