import { Busboy, type BusboyFileStream, type BusboyHeaders } from '@fastify/busboy';
import type { Request } from 'express';
import sharp from 'sharp';
import { PlatError } from '../../../shared/platform/errors.ts';

const MAX_LOGO_KB = 1_000;
const MAX_FIELD_BYTES = 2_000;
/** A larger picture would take too much memory to decode. */
const MAX_PIXELS = 25_000_000;
/** Twice the size at which reports show it. */
const LOGO_PX = { width: 480, height: 128 };
const FORMATS = new Set(['png', 'jpeg', 'webp']);

export type LogoForm = {
  fields: URLSearchParams;
  /** Undefined if no file was chosen. */
  logo: Buffer | undefined;
};

const refused = (message: string, cause?: unknown): PlatError =>
  new PlatError('validation_error', message, { cause });

/**
 * Reads a form with a logo, which becomes a small PNG. Nothing else of the file is kept.
 * @throws PlatError `validation_error`
 */
export async function receiveLogo(req: Request): Promise<LogoForm> {
  const { fields, file } = await readParts(req);
  return { fields, logo: file.length === 0 ? undefined : await toLogo(file) };
}

async function toLogo(file: Buffer): Promise<Buffer> {
  try {
    const image = sharp(file, { limitInputPixels: MAX_PIXELS, failOn: 'error' });
    const { format } = await image.metadata();
    if (!FORMATS.has(format)) throw refused('Choose a PNG, JPEG, or WebP file.');
    return await image
      .rotate()
      .resize({ ...LOGO_PX, fit: 'inside', withoutEnlargement: true })
      .png()
      .toBuffer();
  } catch (error) {
    if (error instanceof PlatError) throw error;
    throw refused("We couldn't read the picture. Choose a PNG, JPEG, or WebP file.", error);
  }
}

async function readParts(req: Request): Promise<{ fields: URLSearchParams; file: Buffer }> {
  const fields = new URLSearchParams();
  const chunks: Buffer[] = [];
  try {
    const parser = new Busboy({
      headers: req.headers as BusboyHeaders,
      limits: { files: 1, fields: 5, parts: 6, fileSize: MAX_LOGO_KB * 1000, fieldSize: MAX_FIELD_BYTES },
    });
    await new Promise<void>((resolve, reject) => {
      parser.on('field', (name: string, value: string) => fields.append(name, value));
      parser.on('file', (_field: string, stream: BusboyFileStream) => {
        stream.on('data', (chunk: Buffer) => chunks.push(chunk));
        stream.once('limit', () =>
          reject(refused(`The logo is over ${MAX_LOGO_KB} kB. Choose a smaller file.`)),
        );
      });
      parser.once('error', reject).once('finish', resolve);
      req.once('error', reject).once('close', () => {
        if (!req.complete) reject(new Error('The connection was closed.'));
      });
      req.pipe(parser);
    });
  } catch (error) {
    // Browsers show a response only after they have sent everything.
    req.unpipe();
    req.resume();
    if (error instanceof PlatError) throw error;
    throw refused("We couldn't read the form. Reload the page and try again.", error);
  }
  return { fields, file: Buffer.concat(chunks) };
}
