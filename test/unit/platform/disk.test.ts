import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { writeErrorCode, writeFileAtomic } from '../../../shared/platform/disk.ts';
import { testFolder } from '../../support/folder.ts';

const folder = testFolder();

test('a folder is writable if it exists, or can be created', async () => {
  expect(await writeErrorCode(folder)).toBeNull();
  expect(await writeErrorCode(join(folder, 'not', 'yet', 'there'))).toBeNull();
  expect(readdirSync(folder)).toEqual([]);
  const file = join(folder, 'file');
  writeFileSync(file, '');
  expect(await writeErrorCode(file)).toBe('ENOTDIR');
  expect(await writeErrorCode(join(file, 'feeds'))).toBe('ENOTDIR');
});

test("a file that can't be written leaves nothing behind", async () => {
  const taken = join(folder, 'taken');
  mkdirSync(join(taken, 'feed.yaml'), { recursive: true });
  await expect(writeFileAtomic(join(taken, 'feed.yaml'), 'x')).rejects.toThrow();
  expect(readdirSync(taken)).toEqual(['feed.yaml']);
});
