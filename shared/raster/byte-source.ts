import { createHash } from 'node:crypto';
import { open } from 'node:fs/promises';
import { LRUCache } from 'lru-cache';
import pLimit from 'p-limit';
import { errorCode, messageOf, PlatError } from '../platform/errors.ts';
import {
  formatError,
  type Limits,
  limitsOf,
  redactUrl,
  sourceError,
} from '../platform/http/download-context.ts';
import { fetchWithRetry, request } from '../platform/http/http.ts';

/** Random-access reads from a file on disk or at an http(s) URL. Nothing is kept open between reads. */
export type ByteSource = {
  /** For messages. */
  name: string;
  /**
   * Reads from `offset`. Returns fewer than `length` bytes at the end of the file.
   * @throws PlatError `feed_source`, `source_changed` if the file isn't the expected version
   */
  read(offset: number, length: number): Promise<ArrayBuffer>;
  /**
   * Identifies this version of the file. On disk, this is its size and a hash of its content. Over http, it
   * is its size and ETag or Last-Modified, or a hash if the server sends neither.
   * @throws PlatError as `read`
   */
  fingerprint(): Promise<string>;
  /** Size of the file in bytes; known after the first read. */
  size(): number;
};

export type ByteSourceOptions = {
  signal: AbortSignal;
  /** The version that every read must match. Default: the version of the first read. */
  fingerprint?: string;
  limits?: Partial<Limits>;
  /** Default: `request` from shared/platform/http. A replacement may cache or throttle. */
  request?: typeof request;
};

/**
 * The file's version, which every read reports at no cost: its size, and a stamp that changes with its
 * content (null if the server sends none).
 */
type Version = { size: number; stamp: string | null };
type Part = { bytes: ArrayBuffer; version: Version };

/**
 * Browsers have the same limit per host. One window of a file in strips can take hundreds of range requests.
 */
const MAX_CONCURRENT_REQUESTS = 6;

/** @param source an absolute path or an http(s) URL */
export function openByteSource(source: string, options: ByteSourceOptions): ByteSource {
  const { signal } = options;
  const url = /^https?:\/\//i.test(source) ? new URL(source) : null;
  const name = url === null ? source : redactUrl(url);
  const limit = pLimit(MAX_CONCURRENT_REQUESTS);
  const readPart = (offset: number, length: number): Promise<Part> =>
    url === null
      ? readFile(source, offset, length, signal)
      : limit(() => readUrl(url, offset, length, options));

  const fingerprintOf = (version: Version): Promise<string> => {
    const read: ReadRange = async (offset, length) => {
      const part = await readPart(offset, length);
      if (!isSame(part.version, version)) throw sourceChangedError(name);
      return part.bytes;
    };
    return url === null ? fileFingerprint(source, version, read) : urlFingerprint(version, read);
  };

  let expected = options.fingerprint;
  /** The version that passed the check. */
  let verified: Version | undefined;
  const check = async (version: Version): Promise<void> => {
    if (verified !== undefined && isSame(version, verified)) return;
    if (expected === undefined) {
      if (verified !== undefined) throw sourceChangedError(name);
    } else if ((await fingerprintOf(version)) !== expected) {
      throw sourceChangedError(name);
    }
    verified = version;
  };
  const checkedVersion = (): Version => {
    if (verified === undefined) throw new Error(`${name} has not been read`);
    return verified;
  };
  return {
    name,
    async read(offset, length) {
      const part = await readPart(offset, length);
      await check(part.version);
      return part.bytes;
    },
    async fingerprint() {
      expected ??= await fingerprintOf(checkedVersion());
      return expected;
    },
    size: () => checkedVersion().size,
  };
}

function sourceChangedError(name: string): PlatError {
  return new PlatError('source_changed', `${name} has changed since it was loaded. Run its feed again.`, {
    status: 422,
  });
}

const isSame = (a: Version, b: Version): boolean => a.size === b.size && a.stamp === b.stamp;

/** Caches content hashes of unchanged files, because each job opens its files again. */
const fingerprints = new LRUCache<string, { version: Version; fingerprint: string }>({ max: 4096 });

async function fileFingerprint(path: string, version: Version, read: ReadRange): Promise<string> {
  const cached = fingerprints.get(path);
  if (cached !== undefined && isSame(cached.version, version)) return cached.fingerprint;
  const fingerprint = `size ${version.size}, content ${await contentHash(read, version.size, DISK_SAMPLING)}`;
  fingerprints.set(path, { version, fingerprint });
  return fingerprint;
}

async function urlFingerprint({ size, stamp }: Version, read: ReadRange): Promise<string> {
  if (stamp !== null) return `size ${size}, version ${stamp}`;
  return `size ${size}, content ${await contentHash(read, size, HTTP_SAMPLING)}`;
}

async function readFile(path: string, offset: number, length: number, signal: AbortSignal): Promise<Part> {
  signal.throwIfAborted();
  const file = await open(path, 'r').catch(cause => {
    throw errorCode(cause) === 'ENOENT'
      ? sourceError(`${path} is missing. Put the file there or correct the feed's source.`, {
          cause,
        })
      : sourceError(`Can't read ${path} (${cause.message}). Check its permissions.`, { cause });
  });
  try {
    const { size, mtimeMs, ino } = await file.stat();
    const bytes = new Uint8Array(Math.max(0, Math.min(length, size - offset)));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, offset);
    if (bytesRead < bytes.length) throw sourceError(`${path} became shorter while Plat read it. Try again.`);
    const stamp = `modified ${Math.round(mtimeMs)} inode ${ino}`;
    return { bytes: bytes.buffer, version: { size, stamp } };
  } catch (cause) {
    if (cause instanceof PlatError) throw cause;
    const reason = messageOf(cause);
    throw sourceError(`Can't read ${path} (${reason}). Use a readable file.`, { cause });
  } finally {
    await file.close();
  }
}

function readUrl(
  url: URL,
  offset: number,
  length: number,
  { signal, limits, request: send = request }: ByteSourceOptions,
): Promise<Part> {
  const headers = {
    range: `bytes=${offset}-${offset + length - 1}`,
    // With a content encoding, ranges would refer to the compressed bytes.
    'accept-encoding': 'identity',
  };
  const timeoutMs = limitsOf({ limits }).downloadIdleMs;
  const read = (response: Response) => readRange(response, url, offset);
  return fetchWithRetry(url, { headers, timeoutMs, send, read }, { signal, limits });
}

/** Undefined for a status that `fetchWithRetry` handles. */
async function readRange(response: Response, url: URL, offset: number): Promise<Part | undefined> {
  if (response.status !== 206) {
    if (response.status !== 416 && !response.ok) return undefined;
    await response.body?.cancel();
    if (response.status === 416)
      throw formatError(`${redactUrl(url)} is incomplete. Download the whole file again.`);
    throw sourceError(
      `The server of ${redactUrl(url)} doesn't support range requests. Download the file and use its path.`,
    );
  }
  const range = /^bytes (\d+)-(\d+)\/(\d+)$/.exec(response.headers.get('content-range') ?? '');
  if (range === null || Number(range[1]) !== offset) {
    await response.body?.cancel();
    throw sourceError(
      `The server of ${redactUrl(url)} returned a different range than requested. Download the file and use its path.`,
    );
  }
  const stamp = response.headers.get('etag') ?? response.headers.get('last-modified');
  const bytes = await response.arrayBuffer();
  if (bytes.byteLength !== Number(range[2]) - offset + 1) throw new Error('the response was incomplete');
  return { bytes, version: { size: Number(range[3]), stamp } };
}

/** Reads from `offset`. Returns fewer than `length` bytes at the end of the file. */
export type ReadRange = (offset: number, length: number) => Promise<ArrayBuffer>;

export type Sampling = {
  /** Files up to this size are hashed completely. */
  wholeBytes: number;
  /**
   * Bytes hashed at the start and at the end, where TIFF writers put directories with the offset and length
   * of every block.
   */
  endBytes: number;
  /** Number of evenly spaced pieces of PIECE_BYTES that are hashed in between. */
  pieces: number;
};

/** Reads 4.5 MB of a large file, which takes milliseconds. */
export const DISK_SAMPLING: Sampling = { wholeBytes: 8 * 2 ** 20, endBytes: 256 * 1024, pieces: 62 };

/** Takes 18 requests for a large file. */
export const HTTP_SAMPLING: Sampling = { wholeBytes: 2 ** 20, endBytes: 128 * 1024, pieces: 16 };

const PIECE_BYTES = 64 * 1024;

/**
 * Hashes a small file completely, but only samples of a large one, so it misses changes between two samples.
 */
export async function contentHash(read: ReadRange, size: number, sampling: Sampling): Promise<string> {
  const hash = createHash('sha256');
  for (const [offset, length] of rangesOf(size, sampling)) {
    hash.update(new Uint8Array(await read(offset, length)));
  }
  return hash.digest('hex').slice(0, 32);
}

function rangesOf(size: number, { wholeBytes, endBytes, pieces }: Sampling): [number, number][] {
  const ranges: [number, number][] = [];
  if (size <= wholeBytes) {
    for (let at = 0; at < size; at += 2 ** 20) ranges.push([at, Math.min(2 ** 20, size - at)]);
    return ranges;
  }
  ranges.push([0, endBytes], [size - endBytes, endBytes]);
  const step = (size - 2 * endBytes) / pieces;
  for (let i = 0; i < pieces; i++) ranges.push([Math.floor(endBytes + (i + 0.5) * step), PIECE_BYTES]);
  return ranges;
}
