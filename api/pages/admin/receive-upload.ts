import { randomUUID } from 'node:crypto';
import { createWriteStream } from 'node:fs';
import { access, mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { Busboy, type BusboyFileStream, type BusboyHeaders, type BusboyInstance } from '@fastify/busboy';
import type { Request } from 'express';
import {
  UPLOADED_FEED_FILE,
  type Upload,
  uploadFolder,
  uploadsFolder,
} from '../../../shared/feeds/file-feeds.ts';
import type { Config } from '../../../shared/platform/config.ts';
import { diskSpace, isDiskFull } from '../../../shared/platform/disk.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { exchangeOf } from '../../http/exchange.ts';
import type { Visit } from '../frame/visit.ts';

const DAY_MS = 86_400_000;
const MAX_NAME_CHARS = 200;

const refused = (message: string, cause?: unknown): PlatError =>
  new PlatError('validation_error', message, { cause });

/**
 * Stores a form's file in its own folder. If that fails, the rest of the form is still read, because browsers
 * show a response only after they have sent everything.
 * @throws PlatError `validation_error`
 */
export async function receiveUpload({ req, res, deps }: Visit): Promise<Upload> {
  const { config, log } = deps;
  const id = randomUUID();
  const folder = uploadFolder(config, { id });
  exchangeOf(res).allowBody(config.UPLOAD_TIMEOUT_MS + config.REQUEST_TIMEOUT_MS);
  try {
    await mkdir(folder, { recursive: true });
    await removeUnused(uploadsFolder(config), deps.now()).catch(err =>
      log.warn({ err }, 'unused uploads could not be removed'),
    );
    if ((await diskSpace(folder)).low)
      throw refused('The disk with PLAT_DIR is nearly full. Free up some space, then upload again.');
    return { id, ...(await storeFile(req, folder, config)) };
  } catch (error) {
    req.unpipe();
    req.resume();
    await rm(folder, { recursive: true, force: true });
    if (error instanceof PlatError) throw error;
    if (isDiskFull(error))
      throw refused('The disk with PLAT_DIR is full. Free up some space, then upload again.', error);
    throw refused("The upload didn't finish. Upload the file again.", error);
  }
}

type Stored = { original: string; file: string; stream: BusboyFileStream; written: Promise<void> };
type UploadLimits = Pick<Config, 'UPLOAD_MAX_MB' | 'UPLOAD_TIMEOUT_MS'>;

async function storeFile(
  req: Request,
  folder: string,
  { UPLOAD_MAX_MB: maxMb, UPLOAD_TIMEOUT_MS: maxMs }: UploadLimits,
): Promise<Omit<Upload, 'id'>> {
  const fileSize = maxMb * 2 ** 20;
  if (Number(req.headers['content-length']) > fileSize + FORM_BYTES) throw tooLarge('The file', maxMb);
  const parser = openParser(req, { files: 1, fields: 0, parts: 2, fileSize, headerPairs: 50 });
  let stored: Stored | undefined;
  let late: NodeJS.Timeout | undefined;
  try {
    await new Promise<void>((resolve, reject) => {
      late = setTimeout(() => reject(tooSlow(maxMs)), maxMs);
      parser.on('file', (_field: string, stream: BusboyFileStream, name: string | undefined) => {
        const original = plainName(name);
        const file = `upload${endingOf(original)}`;
        const written = pipeline(stream, createWriteStream(join(folder, file), { flags: 'wx' }));
        written.catch(reject);
        stream.once('limit', () => reject(tooLarge(original, maxMb)));
        stored = { original, file, stream, written };
      });
      parser.once('error', reject).once('finish', resolve);
      req.once('error', reject).once('close', () => {
        if (!req.complete) reject(new Error('The connection was closed.'));
      });
      req.pipe(parser);
    });
    await stored?.written;
  } catch (error) {
    // Without an error, a stream that has received all its data counts as ended, and `written` never settles.
    stored?.stream.destroy(error as Error);
    await stored?.written.catch(() => {});
    throw error;
  } finally {
    clearTimeout(late);
  }
  if (stored === undefined || stored.stream.bytesRead === 0) throw refused("Choose a file that isn't empty.");
  return { original: stored.original, file: stored.file };
}

/** In addition to its file, a form has a few hundred bytes. */
const FORM_BYTES = 64 * 1024;

const tooLarge = (name: string, maxMb: number): PlatError =>
  refused(
    `${name} is over ${maxMb} MB (UPLOAD_MAX_MB). Copy it to the workers' host and run \`plat feed suggest\`.`,
  );

const tooSlow = (ms: number): PlatError =>
  refused(
    `The upload took longer than ${Math.round(ms / 60_000) || 1} minutes (UPLOAD_TIMEOUT_MS). Use a faster connection, or copy the file to the workers' host and run \`plat feed suggest\`.`,
  );

function openParser({ headers }: Request, limits: object): BusboyInstance {
  // Other forms have already been read, and their stream would not end again.
  if (!/^multipart\/form-data\b/i.test(headers['content-type'] ?? ''))
    throw refused("Choose a file that isn't empty.");
  try {
    return new Busboy({ headers: headers as BusboyHeaders, limits });
  } catch (cause) {
    throw refused("We couldn't read the form. Reload the page and try again.", cause);
  }
}

const plainName = (name: string | undefined): string =>
  (name ?? '')
    .replace(/\p{C}+/gu, ' ')
    .trim()
    .slice(-MAX_NAME_CHARS) || 'file';

/** The extension, which indicates the format. No other part of the file name is used in a path. */
const endingOf = (name: string): string => /(\.[a-z0-9]{1,12}){1,2}$/i.exec(name)?.[0].toLowerCase() ?? '';

/** Deletes uploads that have not become a feed within a day. */
async function removeUnused(uploads: string, now: Date): Promise<void> {
  for (const name of await readdir(uploads)) {
    const folder = join(uploads, name);
    const stats = await stat(folder).catch(() => undefined);
    if (stats === undefined || now.getTime() - stats.mtimeMs < DAY_MS) continue;
    if (await exists(join(folder, UPLOADED_FEED_FILE))) continue;
    await rm(folder, { recursive: true, force: true });
  }
}

const exists = (path: string): Promise<boolean> =>
  access(path).then(
    () => true,
    () => false,
  );
