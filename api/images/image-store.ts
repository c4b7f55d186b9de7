import { randomUUID } from 'node:crypto';
import { mkdir, readdir, readFile, rename, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Logger } from '../../shared/platform/log.ts';

/** A picture's metadata. */
export type Caption = {
  imagery: 'aerial' | 'relief';
  attribution: string;
  /** Date of the imagery, if its source states it. */
  captured: string | null;
  /**
   * When to redraw a picture that was made from servers, in epoch milliseconds. Null if the key covers all
   * sources.
   */
  freshUntil: number | null;
};

export type Picture = Caption & { bytes: Buffer };

/**
 * Pictures on disk, shared by the machine's API processes. The least recently used pictures are removed
 * first.
 */
export type Store = {
  read(key: string): Promise<Picture | undefined>;
  /** This is only a cache. A picture that can't be stored is drawn again. */
  keep(key: string, picture: Picture): Promise<void>;
};

/** After writing this share of the size limit, each process measures the folder and trims it to `TRIM_TO`. */
const TRIM_EVERY = 1 / 16;
const TRIM_FROM = 3 / 4;
const TRIM_TO = 5 / 8;

/** Format: the length of the caption in four bytes, the caption as JSON, then the picture. */
const HEAD_BYTES = 4;

export function openStore(folder: string, mostBytes: number, log: Logger): Store {
  let written = Number.POSITIVE_INFINITY;
  let trimming: Promise<void> | undefined;
  const pathOf = (key: string) => join(folder, `${key}.picture`);
  return {
    async read(key) {
      const path = pathOf(key);
      const bytes = await readFile(path).catch(() => undefined);
      if (bytes === undefined || bytes.length < HEAD_BYTES) return undefined;
      const now = new Date();
      utimes(path, now, now).catch(() => {});
      const from = HEAD_BYTES + bytes.readUInt32BE();
      const caption = JSON.parse(bytes.toString('utf8', HEAD_BYTES, from)) as Caption;
      return { ...caption, bytes: bytes.subarray(from) };
    },
    async keep(key, { bytes, ...caption }) {
      const json = Buffer.from(JSON.stringify(caption));
      const head = Buffer.alloc(HEAD_BYTES);
      head.writeUInt32BE(json.length);
      const size = head.length + json.length + bytes.length;
      try {
        await mkdir(folder, { recursive: true });
        const draft = join(folder, `${randomUUID()}.draft`);
        await writeFile(draft, Buffer.concat([head, json, bytes]));
        await rename(draft, pathOf(key));
        written += size;
        if (written >= TRIM_EVERY * mostBytes) {
          trimming ??= trim(folder, mostBytes).finally(() => {
            trimming = undefined;
          });
          await trimming;
          written = 0;
        }
      } catch (error) {
        log.warn({ err: error, folder }, 'a picture could not be stored');
      }
    },
  };
}

/** Drafts left behind by killed processes are removed once they are this old. */
const STALE_DRAFT_MS = 60_000;

async function trim(folder: string, mostBytes: number): Promise<void> {
  const files = [];
  for (const name of await readdir(folder)) {
    const path = join(folder, name);
    // Another process may have removed it.
    const stats = await stat(path).catch(() => undefined);
    if (stats === undefined) continue;
    if (name.endsWith('.draft')) {
      if (Date.now() - stats.mtimeMs > STALE_DRAFT_MS) await rm(path, { force: true });
    } else files.push({ path, size: stats.size, usedAt: stats.mtimeMs });
  }
  let total = files.reduce((sum, file) => sum + file.size, 0);
  if (total <= TRIM_FROM * mostBytes) return;
  for (const { path, size } of files.sort((a, b) => a.usedAt - b.usedAt)) {
    if (total <= TRIM_TO * mostBytes) break;
    await rm(path, { force: true });
    total -= size;
  }
}
