import { chmodSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { startEmbedded } from '../../shared/platform/embedded-postgres.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { build, bundlePrograms } from '../../tools/build.mjs';
import type { BenchOptions, BenchResult } from './bench.ts';
import { BENCHES, loadBench } from './benches.ts';
import { describeMachine, markdownReport, plainReport } from './report.ts';

const USAGE = `npm run bench [-- NAME …] [-- --quick] [-- --markdown] [-- --json FILE]

Runs the named benches, or all of them but statewide, which takes hours: ${BENCHES.join(', ')}.
--quick      small sizes, to prove that they run
--markdown   print a table for docs/benchmarks.md
--json FILE  also write the results there
BENCH_DATABASE_URL names a server to measure on (its user must be allowed to create databases); without it, the
PostgreSQL that npm installed is started in a temporary folder with the settings that \`npm start\` uses.
The exit code is 1 when a figure was missed (with --quick none is judged), 2 when a bench could not be run.
`;

async function main(): Promise<number> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      quick: { type: 'boolean', default: false },
      markdown: { type: 'boolean', default: false },
      json: { type: 'string' },
      help: { type: 'boolean', default: false },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return 0;
  }
  const names = positionals.length > 0 ? positionals : BENCHES.filter(name => name !== 'statewide');
  const unknown = names.filter(name => !BENCHES.includes(name));
  if (unknown.length > 0) {
    throw new PlatError('bench', `No bench is named ${unknown.join(', ')}. There are ${BENCHES.join(', ')}.`);
  }

  // Servers run from the compiled code, because tsx slows down every function that has a name.
  await bundlePrograms(['test/bench/api-servers.ts'], await build());
  const folder = mkdtempSync(join(tmpdir(), 'plat-bench-'));
  // When run as root, the server runs as another user, who needs access to the folder.
  chmodSync(folder, 0o755);
  const given = process.env.BENCH_DATABASE_URL;
  const server = given ? undefined : await startEmbedded(join(folder, 'postgres'));
  try {
    const serverUrl = given ?? server!.url;
    const machine = await describeMachine(serverUrl);
    const results = await runBenches(names, { quick: values.quick, serverUrl, folder, note });
    const report = values.markdown ? markdownReport : plainReport;
    process.stdout.write(report(results, machine, values.quick));
    if (values.json !== undefined) {
      writeFileSync(values.json, `${JSON.stringify({ machine, quick: values.quick, results }, null, 2)}\n`);
    }
    return values.quick || results.every(result => result.pass) ? 0 : 1;
  } finally {
    await server?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runBenches(names: string[], options: BenchOptions): Promise<BenchResult[]> {
  const results: BenchResult[] = [];
  for (const name of names) {
    note(`bench ${name}`);
    const bench = await loadBench(name);
    results.push(...[await bench(options)].flat());
  }
  return results;
}

function note(line: string): void {
  process.stderr.write(`${line}\n`);
}

main().then(
  code => {
    process.exitCode = code;
  },
  (error: unknown) => {
    process.stderr.write(
      `${error instanceof PlatError ? error.message : ((error as Error).stack ?? String(error))}\n`,
    );
    process.exitCode = 2;
  },
);
