import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type RequestHandler, type Response, Router } from 'express';
import { fileNameOf, type NamedOrder, SUBJECT } from '../../shared/exports/export-name.ts';
import { FILE_TYPES } from '../../shared/exports/export-request.ts';
import { readCopiedBytes } from '../../shared/platform/copy.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { inlined, sql } from '../../shared/platform/statements.ts';
import { methodNotAllowed, notFound, sendError } from '../http/error-responses.ts';
import { exchangeOf } from '../http/exchange.ts';
import { headersOf, setHeaders } from '../http/headers.ts';
import { CREDITS, type FileAddresses } from './file-address.ts';
import { openReaderLimits } from './reader-limits.ts';

const PATH = '/files/:token';

/**
 * Number of bytes to read from a part at a time. Reading more at a time takes more memory and is no faster.
 */
const SLICE = 256 * 1024;

type Part = { n: number; size: number; sha256: string };
type Resources = { db: Db; files: FileAddresses };

/** If a client accepts no data for this long, it is disconnected to free its slot. */
const IDLE_READER_MS = 60_000;

/**
 * GET /files/{token}: one part of an export, or all of it. Needs no key, because the URL itself is signed.
 * @param db has its own connections, so that slow downloads don't block other calls
 */
export function filesRouter({ db, files }: Resources, now: () => Date): Router {
  const router = Router({ caseSensitive: true });
  const readers = openReaderLimits();
  const send: RequestHandler = async (req, res) => {
    exchangeOf(res).route = PATH;
    const leave: (() => void)[] = [];
    try {
      const named = await files.read(req.params.token as string, now());
      // Check the limit before reading anything from the database.
      if (named !== undefined) leave.push(readers.enter('address', req.params.token as string));
      const file = named && (await readFile(db, named.x, named.n));
      if (file === undefined)
        throw notFound('This URL is invalid or has expired. Open the export again to get a new one.');
      const { parts, name, type, accountId, credits } = file;
      leave.push(readers.enter('account', accountId));
      if (named!.n === CREDITS) return sendCredits(res, name, credits);
      const size = parts.reduce((sum, part) => sum + part.size, 0);
      const etag = `"${parts.length === 1 ? parts[0]!.sha256 : `${named!.x}-${size}`}"`;
      const asked = req.headers['if-range'];
      const range = asked === undefined || asked === etag ? rangeOf(req.headers.range, size) : undefined;
      const { start, end } = range ?? { start: 0, end: size };
      const headers = {
        'Content-Type': type,
        'Content-Length': String(end - start),
        'Content-Disposition': `attachment; filename="${name}"`,
        'Accept-Ranges': 'bytes',
        ETag: etag,
        'Cache-Control': 'private, no-transform',
        ...(range && { 'Content-Range': `bytes ${start}-${end - 1}/${size}` }),
      };
      const bytes = readBytes(db, named!.x, parts, start, end);
      // Read the first bytes before sending anything, so that a failure returns an error response.
      const first = req.method === 'HEAD' ? undefined : await bytes.next();
      const own = headersOf(exchangeOf(res));
      setHeaders(res, own);
      res.writeHead(range === undefined ? 200 : 206, headers);
      if (first === undefined) res.end();
      else {
        res.setTimeout(IDLE_READER_MS, () => res.destroy());
        await pipeline(Readable.from(resume(first, bytes)), res);
      }
    } catch (error) {
      // Once sending has started, the client sees that the response was cut off.
      if (res.headersSent) res.destroy();
      else sendError(res, error);
    } finally {
      for (const each of leave) each();
    }
  };
  router.route(PATH).get(send).all(methodNotAllowed('GET', 'HEAD'));
  return router;
}

function sendCredits(res: Response, name: string, credits: string): void {
  setHeaders(res, headersOf(exchangeOf(res)));
  res
    .attachment(`${name.replace(/\.\w+$/, '')}-credits.txt`)
    .setHeader('Cache-Control', 'private')
    .send(credits);
}

type KeptFile = { parts: Part[]; name: string; type: string; accountId: string; credits: string };

async function readFile(db: Db, id: string, n: number): Promise<KeptFile | undefined> {
  const [facts] = await db.run<NamedOrder & { created_at: Date; account_id: string; credits: string | null }>(
    'exports/read_file_facts',
    { export_id: id },
    { subject: SUBJECT },
  );
  if (facts === undefined) return undefined;
  const all = await db.run<Part>('exports/list_parts', { export_ids: [id] });
  const parts = n === 0 || n === CREDITS ? all : all.filter(part => part.n === n);
  if (parts.length === 0 || (n === CREDITS && facts.credits === null)) return undefined;
  const name = fileNameOf({ ...facts, id }, all.length === 1 || n === CREDITS ? 0 : n);
  const { type } = FILE_TYPES[facts.request.format];
  return { parts, name, type, accountId: facts.account_id, credits: facts.credits ?? '' };
}

/**
 * One range of bytes (RFC 9110, section 14). Undefined for the whole file, and for requests with several
 * ranges, which a server may ignore.
 * @returns its start, and the byte after its end
 */
export function rangeOf(
  header: string | undefined,
  size: number,
): { start: number; end: number } | undefined {
  const [, first, last] = /^bytes=(\d*)-(\d*)$/.exec(header ?? '') ?? [];
  if (first === undefined || last === undefined || (first === '' && last === '')) return undefined;
  const start = first === '' ? Math.max(0, size - Number(last)) : Number(first);
  const end = first === '' || last === '' ? size : Math.min(size, Number(last) + 1);
  if (start < end) return { start, end };
  throw new PlatError('validation_error', 'Rejected: Range. See details for the reasons.', {
    status: 416,
    details: { Range: [`is outside the ${size} bytes of the file`] },
    headers: { 'Content-Range': `bytes */${size}` },
  });
}

async function* resume<T>(first: IteratorResult<T>, rest: AsyncGenerator<T>): AsyncGenerator<T> {
  if (first.done) return;
  yield first.value;
  yield* rest;
}

/** @param end the byte after the last one */
async function* readBytes(
  db: Db,
  id: string,
  parts: readonly Part[],
  start: number,
  end: number,
): AsyncGenerator<Buffer> {
  let at = 0;
  for (const { n, size } of parts) {
    for (let from = Math.max(0, start - at); from < Math.min(size, end - at); from += SLICE) {
      const length = Math.min(SLICE, Math.min(size, end - at) - from);
      const values = { export_id: id, n, start: from + 1, size: length };
      // Reading the bytes as text would take four times as long as this binary COPY.
      const copy = inlined(sql('exports/copy_slice'), values);
      const bytes = await db.connection(connection => readCopiedBytes(connection, copy));
      if (bytes === undefined) throw notFound('The file was deleted.');
      yield bytes;
    }
    at += size;
  }
}
