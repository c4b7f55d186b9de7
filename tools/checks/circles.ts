import { posix } from 'node:path';
import type { SourceFile } from './files.ts';

/** Every relative import, re-export, and dynamic import in a file. Type imports count too. */
const IMPORT = /(?:\bfrom|\bimport\s*\(|^import)\s*'(\.[^']+)'/gm;

export const importsOf = (text: string): string[] => [...text.matchAll(IMPORT)].map(match => match[1]!);

type Graph = Map<string, Set<string>>;

/** Import cycles among files and among folders. */
export function checkCircles(files: SourceFile[]): string[] {
  const program = files.filter(({ path }) => /^(api|cli|shared|tools|workers)\/.*\.tsx?$/.test(path));
  const among: Graph = new Map();
  const amongFolders: Graph = new Map();
  for (const { path, text } of program) {
    for (const target of importsOf(text)) {
      const imported = posix.join(posix.dirname(path), target);
      link(among, path, imported);
      link(amongFolders, posix.dirname(path), posix.dirname(imported));
    }
  }
  return [
    ...circles(among).map(circle => `files import each other in a cycle: ${circle.join(' > ')}`),
    ...circles(amongFolders).map(circle => {
      const examples = circle.slice(1).map((folder, i) => example(among, circle[i]!, folder));
      return `folders import each other in a cycle: ${circle.join(' > ')} (${examples.join('; ')})`;
    }),
  ];
}

function link(graph: Graph, from: string, to: string): void {
  if (from === to) return;
  const targets = graph.get(from) ?? new Set();
  graph.set(from, targets.add(to));
}

function example(among: Graph, from: string, to: string): string {
  for (const [path, targets] of among) {
    const target = [...targets].find(each => posix.dirname(each) === to);
    if (posix.dirname(path) === from && target !== undefined) return `${path} imports ${target}`;
  }
  return '';
}

function circles(graph: Graph): string[][] {
  const byNodes = new Map<string, string[]>();
  for (const start of graph.keys()) {
    const circle = shortestWayBack(graph, start);
    const nodes = [...new Set(circle)].sort().join();
    if (circle !== null && !byNodes.has(nodes)) byNodes.set(nodes, circle);
  }
  return [...byNodes.values()];
}

function shortestWayBack(graph: Graph, start: string): string[] | null {
  const before = new Map<string, string>();
  const queue = [start];
  for (const node of queue) {
    for (const next of graph.get(node) ?? []) {
      if (next === start) {
        const way = [start];
        for (let at = node; at !== start; at = before.get(at)!) way.unshift(at);
        return [start, ...way];
      }
      if (before.has(next)) continue;
      before.set(next, node);
      queue.push(next);
    }
  }
  return null;
}
