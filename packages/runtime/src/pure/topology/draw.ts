/**
 * Draws the plan as text for a terminal: a line for each path, a block for each task. Paths with the same input share a line up to the
 * node at which they part.
 *
 *   task 1   orders-by-customer ─ join customers ─┬▶ enriched-orders
 *                                                 └ rekey ─▶ orders-by-country
 */
import type { Node } from '../nodes/node.ts';
import { printable } from './label.ts';
import type { Plan, Task } from './plan.ts';

/** The output of `stoplog describe`. */
export const drawText = (plan: Plan): string => {
  const numbers = new Map(plan.nodes.map((node, number) => [node, number]));
  const width = String(plan.tasks.length - 1).length;
  const blocks = plan.tasks.flatMap((task) => {
    const title = `  task ${String(task.id).padEnd(width)}   `;
    const indent = ' '.repeat(title.length);
    return linesOf(task, numbers, indent).map((line, i) => (i === 0 ? title + line.slice(title.length) : line));
  });
  return [`${plan.name}  ${plan.fingerprint}`, '', ...blocks, '', `  ${summaryOf(plan)}`, ''].join('\n');
};

/** A branch behind a node: the text after the connector, and the next node, unless the branch ends here. */
interface Branch {
  readonly text: string;
  readonly next: Node | undefined;
}

const linesOf = (task: Task, numbers: ReadonlyMap<Node, number>, indent: string): readonly string[] => {
  const roots = new Map<string, Branch[]>();
  const branches = new Map<Node, Branch[]>();
  const readHere = new Set(task.inputs.map(({ topic }) => topic.name));
  const isRoot = (node: Node): boolean => node.source !== undefined || readHere.has(nameOf(node));
  for (const node of task.nodes) {
    if (isRoot(node)) {
      // All nodes that read one topic are drawn under one line.
      const name = node.source?.name ?? nameOf(node);
      const shared = roots.get(name) ?? [];
      roots.set(name, shared);
      branches.set(node, shared);
      continue;
    }
    branches.set(node, []);
    const [main, side] = node.inputs;
    const label = `${node.verb}${side === undefined ? '' : isRoot(side) ? ` ${nameOf(side)}` : ` ${numbers.get(node)}`}`;
    if (main !== undefined) branches.get(main)?.push(branchTo(node, label));
    if (side !== undefined && !isRoot(side)) branches.get(side)?.push({ text: `▶ ${label}`, next: undefined });
  }
  // A topic that is only the side of a join or a merge is named at the join or merge.
  return [...roots].filter(([, ways]) => ways.length > 0).flatMap(([name, ways]) => drawTree(printable(name), ways, branches, indent));
};

const branchTo = (node: Node, label: string): Branch => {
  const { detail, writes } = node;
  if (writes === undefined) return { text: ` ${label}${detail === undefined ? '' : ` ${detail}`}`, next: node };
  // A node that reads the topic again is drawn under that topic.
  return { text: node.yields === 'nothing' ? `▶ ${printable(writes.name)}` : ` ${label} ─▶ ${printable(writes.name)}`, next: undefined };
};

const nameOf = (node: Node): string => node.reads?.topic.name ?? '';

/** An explicit stack, because a pipeline may be longer than the call stack. */
const drawTree = (root: string, ways: readonly Branch[], branches: ReadonlyMap<Node, readonly Branch[]>, indent: string): readonly string[] => {
  const lines: string[] = [];
  const open: { line: string; margin: string; ways: readonly Branch[] }[] = [{ line: indent + root, margin: indent, ways }];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    let [first, ...others] = path.ways;
    while (first !== undefined) {
      path.line += others.length === 0 ? ' ─' : ' ─┬';
      if (others.length > 0) {
        const margin = path.margin.padEnd(path.line.length - 1);
        for (const [i, other] of [...others.entries()].toReversed()) {
          const last = i === others.length - 1;
          open.push({
            line: `${margin}${last ? '└' : '├'}${other.text}`,
            margin: `${margin}${last ? ' ' : '│'}`,
            ways: other.next ? (branches.get(other.next) ?? []) : [],
          });
        }
        path.margin = `${margin}│`;
      }
      path.line += first.text;
      [first, ...others] = first.next ? (branches.get(first.next) ?? []) : [];
    }
    lines.push(path.line);
  }
  return lines;
};

const summaryOf = ({ tasks }: Plan): string => {
  const counts = tasks.map((task) => task.partitions);
  const actors = counts.reduce((sum, count) => sum + count, 0);
  const stores = tasks.flatMap((task) => task.stores).filter(({ store }) => store !== undefined).length;
  const even = counts.every((count) => count === counts[0]);
  const partitions = even ? `× ${plural(counts[0] ?? 0, 'partition')}` : `with ${counts.join(' + ')} partitions`;
  return `${plural(tasks.length, 'task')} ${partitions} = ${plural(actors, 'actor')} · ${plural(stores, 'store')} · nothing to repartition that is not named above`;
};

const plural = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? '' : 's'}`;
