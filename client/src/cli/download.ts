import { createHash } from 'node:crypto';
import { createReadStream, existsSync, statSync } from 'node:fs';
import { open } from 'node:fs/promises';
import type { Export } from '../index.ts';
import { sleep } from '../retries.ts';

type Part = Export['parts'][number];

const MAX_FAILURES = 5;
const FIRST_WAIT_MS = 250;

/**
 * Appends the parts of a file that are missing to `path`, starting in the middle of a part if necessary.
 * @param origin for URLs without a host
 * @throws Error if a part can't be downloaded, or doesn't have its checksum
 */
export async function downloadParts(parts: Part[], path: string, origin: string): Promise<void> {
  let start = 0;
  for (const part of parts) {
    const end = start + part.bytes;
    for (let failures = 0; sizeOf(path) < end; ) {
      const before = sizeOf(path);
      try {
        await append(new URL(part.url, origin), path, before - start);
      } catch (error) {
        failures = sizeOf(path) > before ? 0 : failures + 1;
        if (failures > MAX_FAILURES || !(error instanceof TypeError)) throw error;
        await sleep(FIRST_WAIT_MS * 2 ** failures);
      }
    }
    // Parts that an earlier run finished were checked then.
    await requireChecksum(part, path, start);
    start = end;
  }
}

const sizeOf = (path: string): number => (existsSync(path) ? statSync(path).size : 0);

/** Appends a part's bytes from `offset`. A `TypeError` means that the connection broke off. */
async function append(url: URL, path: string, offset: number): Promise<void> {
  const response = await fetch(url, offset > 0 ? { headers: { Range: `bytes=${offset}-` } } : {});
  if (response.status !== (offset > 0 ? 206 : 200))
    throw new Error(`The download returned status ${response.status}. Run the command again.`);
  const file = await open(path, 'a');
  try {
    const reader = response.body!.getReader();
    for (let read = await reader.read(); !read.done; read = await reader.read()) await file.write(read.value);
  } finally {
    await file.close();
  }
}

async function requireChecksum({ n, bytes, sha256 }: Part, path: string, start: number): Promise<void> {
  if (bytes === 0) return;
  const hash = createHash('sha256');
  for await (const chunk of createReadStream(path, { start, end: start + bytes - 1 })) hash.update(chunk);
  if (hash.digest('hex') === sha256) return;
  const file = await open(path, 'r+');
  await file.truncate(start);
  await file.close();
  throw new Error(`Part ${n} arrived damaged. Run the command again to download it again.`);
}
