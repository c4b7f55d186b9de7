import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { makeRunFolder, sweepRunFolders } from '../../../../workers/ingest/engine/run-folder.ts';

const folder = mkdtempSync(join(tmpdir(), 'plat-sweep-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("a worker that starts removes what ended workers of its host left, and nobody else's", async () => {
  const own = await makeRunFolder();
  rmSync(own, { recursive: true });
  const ended = spawnSync(process.execPath, ['--version']).pid;
  const named = (pid: number, host = hostname()) =>
    join(folder, basename(own).replace(`_${hostname()}_${process.pid}_`, `_${host}_${pid}_`));
  // A container starts again with the number that its killed worker had.
  const [ofEnded, ofOwnNumber] = [named(ended), named(process.pid)];
  const kept = [named(process.ppid), named(ended, `not.${hostname()}`), join(folder, 'plat-run_notes')];
  for (const path of [ofEnded, ofOwnNumber, ...kept]) mkdirSync(path);
  mkdirSync(join(ofEnded, 'download-1'));
  writeFileSync(join(ofEnded, 'download-1', 'roll.zip'), 'half of it');

  expect(sweepRunFolders(folder).toSorted()).toEqual([ofEnded, ofOwnNumber].toSorted());
  expect(existsSync(ofEnded)).toBe(false);
  expect(kept.filter(path => !existsSync(path))).toEqual([]);
  expect(sweepRunFolders(folder)).toEqual([]);
});
