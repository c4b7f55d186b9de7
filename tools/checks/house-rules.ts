import { type SourceFile, statementsOf } from './files.ts';

/** Maximum number of lines in a file. A longer file usually has two ideas. */
const MAX_LINES = 400;

/** Files that show the whole schema in one place: the schema dump and the first migration. */
const LONG_FILES = ['sql/schema.sql', 'sql/migrations/0001_schema.sql'];

export function checkFileSizes(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => /\.(tsx?|mjs|sql)$/.test(path) && !LONG_FILES.includes(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(
      ({ path, lines }) =>
        `${path} has ${lines} lines, over the limit of ${MAX_LINES}: split it by what it does`,
    );
}

/** People search for files by name, so no two files in the program have the same name. */
export function checkFileNames(files: SourceFile[]): string[] {
  const paths = new Map<string, string[]>();
  for (const { path } of files) {
    const name = /^(?:api|cli|shared|workers)\/(?:.*\/)?([\w.-]+)\.(?:tsx?|mjs)$/.exec(path)?.[1];
    if (name !== undefined && name !== 'main' && name !== 'index')
      paths.set(name, [...(paths.get(name) ?? []), path]);
  }
  return [...paths.values()]
    .filter(same => same.length > 1)
    .map(same => `${same.join(' and ')} have the same name: name each after its contents`);
}

/**
 * Statements must start with a comment, be named in the program (tests don't count), and exist if the program
 * runs them.
 */
export function checkQueries(files: SourceFile[]): string[] {
  const program = files.filter(({ path }) => /^(shared|workers|api|cli|tools)\/.*\.tsx?$/.test(path));
  // Names are passed through lists and conditions before they are loaded, so any string that equals a name
  // counts as a use.
  const named = new Set(
    program.flatMap(({ text }) => [...text.matchAll(/['"`](\w+\/\w+)['"`]/g)].map(match => match[1]!)),
  );
  const queries = statementsOf(files);
  const unexplained = [...queries].filter(([, text]) => !text.startsWith('-- ')).map(([name]) => name);
  const unused = [...queries.keys()].filter(name => !named.has(name));
  const loads = program.flatMap(({ path, text }) =>
    [
      ...text.matchAll(
        /\b(?:sql|compose|statement|run|rowCount|runBinary|batches)(?:<[^()]*>)?\(\s*['"`](\w+\/\w+)['"`]/g,
      ),
    ].map(match => ({
      path,
      name: match[1]!,
    })),
  );
  return [
    ...unexplained.map(
      name => `the statement ${name} does not start with a comment on its purpose and parameters`,
    ),
    ...unused.map(name => `the statement ${name} is not used by the program: delete it`),
    ...loads
      .filter(({ name }) => !queries.has(name))
      .map(({ path, name }) => `${path} runs '${name}', but sql/queries has no such statement`),
  ];
}

/** Pages call a statement family's functions. They don't name statements themselves. */
export function checkPages(files: SourceFile[]): string[] {
  const queries = statementsOf(files);
  return files
    .filter(({ path }) => /^api\/pages\/.*\.tsx?$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/['"`](\w+\/\w+)['"`]/g)]
        .filter(match => queries.has(match[1]!))
        .map(match => `${path} names the statement ${match[1]}: move it to a function in shared/<family>`),
    );
}

/** Paths on the author's machine, which mean nothing elsewhere. */
const FOREIGN = [/(?<![\w.-])\/work\//, /\.\.\/shared\/[\w-]+\.md/, /\.\.\/shared\/data\//, /\.librar[y]\b/];

export function checkMentions(files: SourceFile[]): string[] {
  return files.flatMap(({ path, text }) =>
    text.split('\n').flatMap((line, index) => {
      const mention = FOREIGN.map(pattern => pattern.exec(line)?.[0]).find(match => match !== undefined);
      return mention === undefined
        ? []
        : [`${path}:${index + 1} mentions ${mention}, which is not in this repository`];
    }),
  );
}
