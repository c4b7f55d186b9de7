import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { Request } from 'express';
import { diskSpace, isDiskFull } from '../../../shared/base/disk.ts';
import { PlatError } from '../../../shared/base/errors.ts';
import {
  UPLOADED_FEED_FILE,
  type Upload,
  uploadFolder,
  uploadsFolder,
} from '../../../shared/feeds/file-feeds.ts';
import type { Visit } from '../frame/visit.ts';

const DAY_MS = 86_400_000;
const MAX_NAME_CHARS = 200;

const refused = (message: string, cause?: unknown): PlatError =>
  new PlatError('validation_error', message, { cause });

/** Puts the one file of a form into a folder of its own. @throws PlatError `validation_error` */
export async function receiveUpload({ req, deps }: Visit): Promise<Upload> {
  const { config } = deps;
  const id = randomUUID();
  const folder = uploadFolder(config, { id });
  await mkdir(folder, { recursive: true });
  await removeUnused(uploadsFolder(config), deps.now());
  try {
    if ((await diskSpace(folder)).low)
      throw refused('The disk of PLAT_DIR is nearly full: free some space first.');
    return { id, ...(await storeFile(req, folder, config.UPLOAD_MAX_MB)) };
  } catch (error) {
    await rm(folder, { recursive: true, force: true });
    if (error instanceof PlatError) throw error;
    if (isDiskFull(error)) throw refused('The disk of PLAT_DIR is full: free some space first.', error);
    throw refused('The file did not arrive whole: send it again.', error);
  }
}

async function storeFile(req: Request, folder: string, maxMb: number): Promise<Omit<Upload, 'id'>> {
  const limits = { files: 1, fields: 0, parts: 2, fileSize: maxMb * 2 ** 20, headerPairs: 50 };
  const parser = openParser(req, limits);
  let stored:
    | { original: string; file: string; stream: BusboyFileStream; written: Promise<void> }
    | undefined;
  parser.on('file', (_field: string, stream: BusboyFileStream, name: string | undefined) => {
    const original = plainName(name);
    const file = `upload${endingOf(original)}`;
    const written = pipeline(stream, createWriteStream(join(folder, file), { flags: 'wx' }));
    // Else the form would wait for a file that nobody writes any more.
    written.catch(error => parser.destroy(error));
    stored = { original, file, stream, written };
  });
  await pipeline(req, parser);
  await stored?.written;
  if (stored === undefined || stored.stream.bytesRead === 0)
    throw refused('Choose a file that is not empty.');
  const { original, file, stream } = stored;
  if (stream.truncated)
    throw refused(
      `${original} has more than ${maxMb} MB (UPLOAD_MAX_MB). Put it on the workers' host and use \`plat feed suggest\`.`,
    );
  return { original, file };
}

function openParser({ headers }: Request, limits: object): BusboyInstance {
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits });
  } catch (cause) {
    throw refused('The form could not be read.', cause);
  }
}

const plainName = (name: string | undefined): string =>
  (name ?? '')
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(-MAX_NAME_CHARS) || 'file';

/** Tells the format; nothing else of the browser's name becomes a path. */
const endingOf = (name: string): string => /(\.[a-z0-9]{1,12}){1,2}$/i.exec(name)?.[0].toLowerCase() ?? '';

/** Uploads of which nobody has made a feed within a day. */
async function removeUnused(uploads: string, now: Date): Promise<void> {
  for (const name of await readdir(uploads)) {
    const folder = join(uploads, name);
    const { mtimeMs } = await stat(folder);
    if (now.getTime() - mtimeMs < DAY_MS || (await isThere(join(folder, UPLOADED_FEED_FILE)))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

const isThere = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
