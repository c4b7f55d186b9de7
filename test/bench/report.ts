import { cpus, totalmem } from 'node:os';
import { onServer } from '../support/server.ts';
import type { BenchResult } from './bench.ts';

export type Machine = Record<'cpu' | 'cores' | 'memory' | 'node' | 'postgresql', string>;

export async function describeMachine(serverUrl: string): Promise<Machine> {
  const { rows } = await onServer(serverUrl, client =>
    client.query<{ version: string }>("select current_setting('server_version') as version"),
  );
  return {
    cpu: cpus()[0]?.model.trim() ?? 'unknown',
    cores: String(cpus().length),
    memory: `${Math.round(totalmem() / 2 ** 30)} GB`,
    node: process.version.slice(1),
    postgresql: rows[0]!.version,
  };
}

const HEADS = ['bench', 'reference', 'reach', 'measured', ''];

function cells(result: BenchResult, quick: boolean): string[] {
  const { name, reference, reach, value, unit, pass } = result;
  const measured = `${value.toFixed(unit === 'MB' || (unit === 'ms' && value >= 10) ? 0 : 2)} ${unit}`;
  return [name, reference, reach, measured, quick ? 'not judged' : pass ? 'reached' : 'MISSED'];
}

const machineText = ({ cpu, cores, memory, node, postgresql }: Machine) =>
  `${cpu}, ${cores} cores, ${memory}; Node ${node}, PostgreSQL ${postgresql}`;

const detailText = ({ details }: BenchResult) =>
  Object.entries(details)
    .map(([name, value]) => `${name} ${value}`)
    .join(', ');

/** Formats results for a terminal: a table, followed by the details of each benchmark. */
export function plainReport(results: BenchResult[], machine: Machine, quick: boolean): string {
  const rows = [HEADS, ...results.map(result => cells(result, quick))];
  const widths = HEADS.map((_, i) => Math.max(...rows.map(row => row[i]!.length)));
  const lines = rows.map(row =>
    row
      .map((cell, i) => cell.padEnd(widths[i]!))
      .join('  ')
      .trimEnd(),
  );
  const details = results.map(result => `${result.name}: ${detailText(result)}`);
  const small = quick ? ['', 'Small sizes (--quick): the figures only prove that the benches run.'] : [];
  return [machineText(machine), '', ...lines, '', ...details, ...small, ''].join('\n');
}

/** For docs/benchmarks.md. */
export function markdownReport(results: BenchResult[], machine: Machine, quick: boolean): string {
  const row = (list: string[]) => `| ${list.join(' | ')} |`;
  const lines = [
    row(HEADS),
    row(HEADS.map(() => '---')),
    ...results.map(result => row(cells(result, quick))),
  ];
  const small = quick ? ['', 'Small sizes (`--quick`): the figures only prove that the benches run.'] : [];
  return [`Measured on ${machineText(machine)}.`, '', ...lines, ...small, ''].join('\n');
}
