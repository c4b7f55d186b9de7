import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname } from 'node:path';

export async function writeWhole(file: string, text: string): Promise<void> {
  const fresh = `${file}.new`;
  await mkdir(dirname(file), { recursive: true });
  try {
    await writeFile(fresh, text);
    await rename(fresh, file);
  } catch (error) {
    await rm(fresh, { force: true });
    throw error;
  }
}
