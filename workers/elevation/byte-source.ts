import { open } from 'node:fs/promises';
import { errorCode, PlatError } from '../../shared/errors.ts';
import { formatError, shownUrl, sourceError } from '../ingest/open/context.ts';
import { request, statusOutcome, USER_AGENT } from '../ingest/open/http.ts';
import { LIMITS, type Limits } from '../ingest/open/limits.ts';
import { networkOutcome, type Outcome, retrying } from '../ingest/open/retry.ts';

/** Ranges of bytes of one file on disk or behind http(s). Nothing is held open between reads. */
export type ByteSource = {
  /** For messages. */
  name: string;
  /**
   * The bytes from `offset`, fewer than `length` where the file ends.
   * @throws PlatError `feed_source` when they cannot be read, `elevation_changed` when the file is no longer the one of the fingerprint
   */
  read(offset: number, length: number): Promise<ArrayBuffer>;
  /** What tells this version of the file from others; known after the first read. */
  fingerprint(): string;
  /** Of the whole file, in bytes; known after the first read. */
  size(): number;
};

export type ByteSourceOptions = {
  signal: AbortSignal;
  /** The version that must be read; without it the version of the first read. */
  fingerprint?: string;
  limits?: Partial<Limits>;
};

/** As many as browsers open to one host. A window of a file of strips is hundreds of ranges. */
const REQUESTS_AT_ONCE = 6;

/** @param source an absolute path or an http(s) URL */
export function openBytes(source: string, options: ByteSourceOptions): ByteSource {
  const url = /^https?:\/\//i.test(source) ? new URL(source) : null;
  const name = url === null ? source : shownUrl(url);
  let expected = options.fingerprint;
  let bytes: number | undefined;
  const seen = (size: number, version: string): void => {
    const fingerprint = `size ${size}, ${version}`;
    bytes = size;
    expected ??= fingerprint;
    if (fingerprint !== expected) {
      throw new PlatError(
        'elevation_changed',
        `${name} has changed since it was ingested. Run its elevation feed again.`,
        { status: 422 },
      );
    }
  };
  const limits = { ...LIMITS, ...options.limits };
  const inTurn = inTurns(REQUESTS_AT_ONCE);
  return {
    name,
    read: (offset, length) =>
      url === null
        ? readFile(source, offset, length, options.signal, seen)
        : inTurn(() =>
            retrying(
              () => readUrl(url, offset, length, options.signal, limits, seen),
              limits,
              options.signal,
            ),
          ),
    fingerprint: () => {
      if (expected === undefined) throw new Error(`${name} has not been read`);
      return expected;
    },
    size: () => {
      if (bytes === undefined) throw new Error(`${name} has not been read`);
      return bytes;
    },
  };
}

async function readFile(
  path: string,
  offset: number,
  length: number,
  signal: AbortSignal,
  seen: (size: number, version: string) => void,
): Promise<ArrayBuffer> {
  signal.throwIfAborted();
  const file = await open(path, 'r').catch(cause => {
    throw errorCode(cause) === 'ENOENT'
      ? sourceError(`${path} is missing. Put the file there or correct the feed's elevation source.`, {
          cause,
        })
      : sourceError(`${path} cannot be read (${cause.message}). Check its permissions.`, { cause });
  });
  try {
    const { size, mtimeMs } = await file.stat();
    // Like rsync's quick check: a grid of gigabytes is not read whole to know it again.
    seen(size, `modified ${Math.round(mtimeMs)}`);
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    if (bytesRead < bytes.length) throw sourceError(`${path} was cut off while it was read. Try again.`);
    return bytes.buffer;
  } catch (cause) {
    if (cause instanceof PlatError) throw cause;
    const reason = cause instanceof Error ? cause.message : String(cause);
    throw sourceError(`${path} cannot be read (${reason}). Name a readable file.`, { cause });
  } finally {
    await file.close();
  }
}

async function readUrl(
  url: URL,
  offset: number,
  length: number,
  stop: AbortSignal,
  limits: Limits,
  seen: (size: number, version: string) => void,
): Promise<Outcome<ArrayBuffer>> {
  try {
    const signal = AbortSignal.any([stop, AbortSignal.timeout(limits.idleMs)]);
    const headers = {
      'user-agent': USER_AGENT,
      range: `bytes=${offset}-${offset + length - 1}`,
      // A packed answer would make ranges of the packed bytes.
      'accept-encoding': 'identity',
    };
    const response = await request(url, { headers, signal });
    if (response.status !== 206) {
      await response.body?.cancel();
      if (response.status === 416) throw formatError(`${shownUrl(url)} is cut off. Fetch it again whole.`);
      if (!response.ok) return statusOutcome(response, url);
      throw sourceError(
        `${shownUrl(url)} is sent whole, its server does not answer requests for ranges. Download it and name its path.`,
      );
    }
    const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
    if (range === null || Number(range[1]) !== offset) {
      await response.body?.cancel();
      throw sourceError(
        `${shownUrl(url)} is answered with another range than asked for. Download it and name its path.`,
      );
    }
    const version = response.headers.get('etag') ?? response.headers.get('last-modified') ?? 'unversioned';
    seen(Number(range[3]), `version ${version}`);
    const bytes = await response.arrayBuffer();
    if (bytes.byteLength !== Number(range[2]) - offset + 1) throw new Error('the answer was cut off');
    return { value: bytes };
  } catch (error) {
    stop.throwIfAborted();
    return networkOutcome(error, url, stop);
  }
}

/** Runs at most `most` pieces of work at a time, the others in the order in which they were asked for. */
function inTurns(most: number): <T>(work: () => Promise<T>) => Promise<T> {
  const waiting: (() => void)[] = [];
  let running = 0;
  return async work => {
    if (running === most) await new Promise<void>(resolve => waiting.push(resolve));
    else running++;
    try {
      return await work();
    } finally {
      const next = waiting.shift();
      if (next === undefined) running--;
      else next();
    }
  };
}
