import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { openApiDocument } from '../../api/openapi.ts';
import { rootDir } from '../../shared/platform/root.ts';

type Operation = { 'x-quote'?: unknown };

/** The types of all calls, and the list of calls that cost tokens, for `plat-client`. */
export function clientTypes(): string {
  const document = openApiDocument() as { paths: Record<string, Record<string, Operation>> };
  const generator = join(rootDir, 'client', 'node_modules', 'openapi-typescript', 'bin', 'cli.js');
  const types = execFileSync(process.execPath, [generator], {
    input: JSON.stringify(document),
    encoding: 'utf8',
    maxBuffer: 1e8,
  });
  const priced = Object.entries(document.paths).flatMap(([path, operations]) =>
    Object.entries(operations)
      .filter(([, operation]) => operation['x-quote'] !== undefined)
      .map(([method]) => `${method.toUpperCase()} ${path}`),
  );
  return `${types}
/** Calls that cost tokens. \`quote=true\` returns their price. */
export const PRICED_CALLS: readonly string[] = ${JSON.stringify(priced, null, 2)};
`;
}
