import type { SourceFile } from './files.ts';

/** Files are meant to stay under about 300 lines; this is where the check stops believing in "about". */
const MOST_LINES = 350;

export function checkFileSizes(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => /\.(ts|mjs|sql)$/.test(path) && path !== 'sql/schema.sql')
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > MOST_LINES)
    .map(
      ({ path, lines }) =>
        `${path} has ${lines} lines, at most ${MOST_LINES} are allowed: split it by what it does`,
    );
}

/** Every statement is explained at its head, is used by the program (tests do not count), and exists where used. */
export function checkQueries(files: SourceFile[]): string[] {
  const problems: string[] = [];
  const used = new Map<string, string>();
  for (const { path, text } of files) {
    if (!/^(shared|workers|api|tools|test)\/.*\.ts$/.test(path)) continue;
    for (const [, name] of text.matchAll(/\bsql\(\s*['"`]([\w/-]+)['"`]\s*,?\s*\)/g)) {
      if (!path.startsWith('test/') || !used.has(name!)) used.set(name!, path);
    }
  }
  const queries = new Map(
    files
      .filter(({ path }) => path.startsWith('sql/queries/') && path.endsWith('.sql'))
      .map(({ path, text }) => [path.slice('sql/queries/'.length, -'.sql'.length), text]),
  );
  for (const [name, text] of queries) {
    if (!text.startsWith('-- '))
      problems.push(`sql/queries/${name}.sql does not begin with a comment on its purpose and parameters`);
    const user = used.get(name);
    if (user === undefined || user.startsWith('test/'))
      problems.push(`sql/queries/${name}.sql is not used by the program: delete it`);
  }
  for (const [name, path] of used) {
    if (!queries.has(name))
      problems.push(`${path} loads sql('${name}'), but sql/queries/${name}.sql does not exist`);
  }
  return problems;
}

/** Paths of the place where the program was written, which mean nothing to those who have it. */
const FOREIGN = [/(?<![\w.-])\/work\//, /\.\.\/shared\/[\w-]+\.md/, /\.\.\/shared\/data\//, /\.librar[y]\b/];

export function checkMentions(files: SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const found = FOREIGN.map(pattern => pattern.exec(line)?.[0]).find(match => match !== undefined);
      return found === undefined
        ? []
        : [`${path}:${index + 1} mentions ${found}, which is not in this repository`];
    }),
  );
}
