/**
 * Reads who imports whom with dependency-cruiser, types too, and says which imports break a rule.
 *
 * Floors and doors are tables (`floors.ts`, `doors.ts`) from which rules are made; a rule's comment is the remedy. The cruiser
 * resolves each import as Node does: an import by name leads to a built file in `dist`, a relative one to a source.
 */
import { cruise, type ICruiseResult } from 'dependency-cruiser';
import { doorRules } from './doors.ts';
import { floorRules, type ImportRule } from './floors.ts';
import type { Workspace } from './sources.ts';

/** A circle of imports is reported with the way round; modules that are loaded later close none. */
const circle: ImportRule = {
  name: 'a circle',
  comment: 'imports in a circle: move what both need, types too, to a file of its own',
  from: {},
  to: { circular: true, viaOnly: { dependencyTypesNot: ['dynamic-import'] } },
};

/** Each finding is a line `path  imports target: remedy`. Packages must be built: an import by name leads there. */
export const importProblems = async (root: string, { files, packages }: Pick<Workspace, 'files' | 'packages'>): Promise<readonly string[]> => {
  const rules = [...floorRules(packages), ...doorRules(), circle];
  const { output } = await cruise(
    files.map(({ path }) => path),
    {
      baseDir: root,
      validate: true,
      ruleSet: { forbidden: rules.map((rule) => ({ severity: 'error', ...rule })) },
      tsPreCompilationDeps: true,
      doNotFollow: { path: '(^|/)(dist|node_modules)/' },
    },
    { conditionNames: ['import', 'node', 'default'], exportsFields: ['exports'], extensions: ['.ts', '.mts', '.mjs', '.js', '.d.ts'] },
  );
  const comments = new Map(rules.map(({ name, comment }) => [name, comment]));
  const found = (output as ICruiseResult).summary.violations;
  return found.map(({ from, to, rule, cycle }) =>
    cycle === undefined
      ? `${from}  imports ${to}: ${comments.get(rule.name)!}`
      : `${from}  ${[from, ...cycle.map(({ name }) => name)].join(' → ')}: ${comments.get(rule.name)!}`,
  );
};
