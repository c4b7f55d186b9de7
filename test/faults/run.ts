import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { rootDir } from '../../shared/platform/root.ts';
import type { Fault } from './fault.ts';
import { faults } from './faults.ts';

/*
 * npm run faults [-- WORDS]: plants one fault at a time in a copy of the last commit, runs the tests that
 * should detect it, and lists the faults that no test detected. With words, runs only the faults whose file
 * or description contains one of them.
 */

const words = process.argv.slice(2);
const chosen = faults.filter(
  ({ what, file }) => words.length === 0 || words.some(word => what.includes(word) || file.includes(word)),
);
const copy = join(mkdtempSync(join(tmpdir(), 'plat-faults-')), 'plat');

function git(...argv: string[]): void {
  const { status, stderr } = spawnSync('git', argv, { cwd: rootDir, encoding: 'utf8' });
  if (status !== 0) throw new Error(`git ${argv.join(' ')}: ${stderr}`);
}

/** Runs the tests, stopping at the first failure. @returns whether one failed */
function isNoticed(tests: readonly string[]): boolean {
  const argv = ['vitest', 'run', '--bail=1', '--reporter=dot', '--passWithNoTests=false', ...tests];
  const { status } = spawnSync('npx', argv, { cwd: copy, stdio: 'ignore' });
  return status !== 0;
}

function plant({ file, from, to }: Fault): () => void {
  const path = join(copy, file);
  const text = readFileSync(path, 'utf8');
  const parts = text.split(from);
  if (parts.length !== 2) throw new Error(`${file} has the text ${parts.length - 1} times: ${from}`);
  writeFileSync(path, parts.join(to));
  return () => writeFileSync(path, text);
}

git('worktree', 'add', '--detach', '--quiet', copy, 'HEAD');
try {
  symlinkSync(join(rootDir, 'node_modules'), join(copy, 'node_modules'));
  // A test that fails without a fault would appear to detect every fault.
  const all = [...new Set(chosen.flatMap(({ tests }) => tests))];
  if (isNoticed(all)) throw new Error('The tests fail without a fault: run them first.');
  const survivors = chosen.filter(fault => {
    const restore = plant(fault);
    const noticed = isNoticed(fault.tests);
    restore();
    process.stdout.write(`${noticed ? 'caught  ' : 'SURVIVED'}  ${fault.file}: ${fault.what}\n`);
    return !noticed;
  });
  process.stdout.write(`${chosen.length - survivors.length} of ${chosen.length} faults caught\n`);
  process.exitCode = survivors.length === 0 ? 0 : 1;
} finally {
  git('worktree', 'remove', '--force', copy);
  rmSync(join(copy, '..'), { recursive: true, force: true });
}
