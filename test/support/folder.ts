import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll } from 'vitest';

/** Creates a folder, which is removed at the end of the test file. */
export function testFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'plat-test-'));
  afterAll(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
