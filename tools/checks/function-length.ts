import { parseAst } from 'vitest/node';
import type { SourceFile } from './files.ts';

const MAX_LINES = 60;
const MAX_ALLOWED = 10;

/** Functions that may be longer, by file and name, with the reason. */
const ALLOWED: Record<string, string> = {
  'shared/kernels/valuation/nearest.ts search': 'the hottest loop of valuation: a fifth slower when split',
};

const PROGRAM = /^(?:api|cli|client|shared|workers|tools|bin)\/.*\.(tsx?|mjs)$/;
const FUNCTIONS = new Set(['FunctionDeclaration', 'FunctionExpression', 'ArrowFunctionExpression']);
/** The node that names a function, and the position of the name. */
const NAMED: Record<string, 'id' | 'key'> = {
  FunctionDeclaration: 'id',
  VariableDeclarator: 'id',
  Property: 'key',
  MethodDefinition: 'key',
  PropertyDefinition: 'key',
};

type Node = { type: string; start: number; end: number; name?: string; value?: unknown } & {
  [part: string]: unknown;
};
type LongFunction = { name: string; line: number; lines: number };

export function checkFunctionLength(
  files: SourceFile[],
  allowed: Readonly<Record<string, string>> = ALLOWED,
): string[] {
  const long = files
    .filter(({ path }) => PROGRAM.test(path) && !path.endsWith('.d.ts'))
    .flatMap(file => longFunctions(file).map(one => ({ ...one, path: file.path })));
  const keys = new Set(long.map(({ path, name }) => `${path} ${name}`));
  const count = Object.keys(allowed).length;
  return [
    ...long
      .filter(({ path, name }) => allowed[`${path} ${name}`] === undefined)
      .map(
        ({ path, line, name, lines }) =>
          `${path}:${line} ${name} has ${lines} lines, over the limit of ${MAX_LINES}: split it by its ideas`,
      ),
    ...Object.keys(allowed)
      .filter(key => !keys.has(key))
      .map(key => `${key} is no longer a long function: remove it from function-length.ts`),
    ...(count > MAX_ALLOWED
      ? [`function-length.ts allows ${count} long functions, more than ${MAX_ALLOWED}`]
      : []),
  ];
}

function longFunctions({ path, text }: SourceFile): LongFunction[] {
  if (text.split('\n').length <= MAX_LINES) return [];
  const lang = path.endsWith('x') ? 'tsx' : path.endsWith('.ts') ? 'ts' : 'js';
  const found: LongFunction[] = [];
  const visit = (node: Node, around: string): void => {
    const own = node[NAMED[node.type]!] as Node | null | undefined;
    const name = own?.name ?? (typeof own?.value === 'string' ? own.value : around);
    if (FUNCTIONS.has(node.type)) {
      const lines = text.slice(node.start, node.end).split('\n').length;
      if (lines > MAX_LINES) found.push({ name, line: text.slice(0, node.start).split('\n').length, lines });
    }
    for (const part of Object.values(node).flat()) if (isNode(part)) visit(part, name);
  };
  visit(parseAst(text, { lang }) as unknown as Node, 'the module');
  return found;
}

const isNode = (part: unknown): part is Node =>
  typeof part === 'object' && part !== null && typeof (part as Node).type === 'string';
