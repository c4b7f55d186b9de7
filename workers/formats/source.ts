import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, open, readdir, rm, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, posix, resolve } from 'node:path';
import type { Readable } from 'node:stream';
import { pipeline as piped } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import type { Entry } from 'yauzl';
import {
  limitsOf,
  type OpenContext,
  redactUrl,
  scratchFolder,
  sourceError,
} from '../../shared/platform/http/download-context.ts';
import { fetchUrl, siblingUrl } from './fetch-source.ts';
import { CHUNK_BYTES, maxUnpackedBytes, tooLargeUnpacked, unpacked } from './unpacked.ts';
import { type Archive, chooseMember, memberStream, openArchive } from './zip.ts';

export type SourceFile = {
  /** Name for messages: the path or URL as written in the feed, and the member name if it is in a zip. */
  name: string;
  /** The unpacked bytes. Each call starts over. Not available for a folder. */
  bytes(): AsyncGenerator<Buffer>;
  /** The unpacked file or folder for random access: the original, or a copy that is deleted on close. */
  onDisk(): Promise<LocalFile>;
};

export type LocalFile = {
  path: string;
  bytes: number;
  /**
   * Reports the share that was read, up to 1. Unpacking to a copy reports progress in compressed bytes
   * instead.
   */
  advance(share: number): void;
};

export type OpenedSource = SourceFile & {
  /**
   * A file with the same stem and another extension (".dbf"), or at a path relative to this one's folder that
   * starts with "../". Null if it doesn't exist.
   */
  sibling(ending: string): Promise<SourceFile | null>;
  close(): Promise<void>;
};

export type MemberChoice = {
  /** The name in messages, if it is not the path. */
  name?: string;
  /** Extensions of zip members to consider, with the dot, in lowercase. */
  extensions: string[];
  member?: string | undefined;
  /** Patterns of the zip members to read when a feed names none. */
  members?: string[] | undefined;
  /** A member whose presence means that the zip itself is the file, as is the case for .xlsx. */
  zipHolds?: string | undefined;
  /** A file whose presence means that the folder itself is the source, as is the case for .gdb. */
  folderHolds?: string | undefined;
  /** Extensions of companion files, such as the .dbf of a .shp. */
  siblings?: string[] | undefined;
};

/** Counts the bytes read from all files of a source, and reports progress. */
export type Progress = { expect(bytes: number): void; add(bytes: number): void };

/** @param totalKnown false if more files will be opened later, so that a total would be wrong */
export function trackProgress(context: OpenContext, totalKnown: boolean): Progress {
  let read = 0;
  let total = 0;
  return {
    expect: bytes => {
      total += bytes;
    },
    add: bytes => {
      read += bytes;
      context.onBytes?.(read, totalKnown ? total : null);
    },
  };
}

function localFile(path: string, bytes: number, progress: Progress): LocalFile {
  let reported = 0;
  const advance = (share: number) => {
    const now = Math.floor(bytes * Math.min(1, share));
    progress.add(now - reported);
    reported = now;
  };
  return { path, bytes, advance };
}

/**
 * Opens one source in one pass. It locates the source (a path relative to `baseDir`, or a `file:` or http(s)
 * URL), downloads it, detects how it is compressed, and chooses the file to read. Its bytes are unpacked as
 * they are read.
 * @throws PlatError `feed_source` if it is missing or unreachable, `feed_format` if a zip has several
 * candidates.
 */
export async function openSource(
  source: string,
  wanted: MemberChoice,
  context: OpenContext,
  progress = trackProgress(context, true),
): Promise<OpenedSource> {
  const url = /^https?:\/\//i.test(source) ? new URL(source) : null;
  const name = wanted.name ?? (url === null ? source : redactUrl(url));
  const opened: (() => unknown)[] = [];
  const close = async () => {
    for (const release of opened.splice(0).reverse()) await release();
  };
  const { scratch, file, there } = unpacking(context, progress, opened);
  const fetched = async (from: URL, optional: boolean): Promise<string | null> => {
    const copy = await fetchUrl(from, context, optional);
    if (copy !== null) opened.push(copy.remove);
    return copy?.path ?? null;
  };
  try {
    const path =
      url === null ? await requireFile(source, context.baseDir, wanted) : (await fetched(url, false))!;
    if ((await stat(path)).isDirectory()) return { ...(await folderThere(path, name, progress)), close };
    const packing = await sniff(path, name);
    if (packing === 'page')
      throw sourceError(
        `${name} is a web page, not a data file. Open it in a browser and correct the source.`,
      );
    if (packing === 'zip') {
      const archive = await openArchive(path, name, limitsOf(context));
      opened.push(archive.close);
      const { zipHolds, folderHolds } = wanted;
      if (folderHolds !== undefined) {
        const limit = limitsOf(context).expandedBytes;
        return { ...folderInZip(archive, name, { ...wanted, folderHolds }, file, scratch, limit), close };
      }
      if (!archive.entries.some(entry => entry.fileName === zipHolds))
        return { ...chosenMember(archive, name, wanted, file), close };
    }
    const sibling = async (extension: string): Promise<SourceFile | null> => {
      const from = url === null ? null : siblingUrl(url, extension);
      const sibling = url === null ? await findSibling(path, extension) : from && (await fetched(from, true));
      const label = from === null ? basename(sibling ?? '') : redactUrl(from);
      return sibling === null || (await sniff(sibling, label)) === 'page' ? null : there(sibling, label);
    };
    return { ...(await there(path, name)), sibling, close };
  } catch (error) {
    await close();
    throw error;
  }
}

type Scratch = () => Promise<string>;

/** @param plain the path of a file that is not compressed */
type Packed = (
  name: string,
  bytes: { total: number; packed: number },
  gzip: boolean,
  stream: () => Readable | Promise<Readable>,
  plain?: string | null,
) => SourceFile;

/** Creates the files of a source. */
function unpacking(context: OpenContext, progress: Progress, opened: (() => unknown)[]) {
  const scratch: Scratch = async () => {
    const folder = await scratchFolder(context, 'unpacked-');
    opened.push(() => rm(folder, { recursive: true, force: true }));
    return folder;
  };
  const file: Packed = (label, { total, packed }, gzip, stream, plain = null) => {
    progress.expect(total);
    const most = maxUnpackedBytes(context, packed);
    const bytes = () => unpacked(stream, label, gzip, most, context, progress);
    const onDisk = async (): Promise<LocalFile> => {
      if (plain !== null) return localFile(plain, total, progress);
      const path = join(await scratch(), 'file');
      await piped(bytes(), createWriteStream(path));
      return { path, bytes: (await stat(path)).size, advance: () => {} };
    };
    return { name: label, bytes, onDisk };
  };
  const there = async (path: string, label: string) => {
    const gzip = (await sniff(path, label)) === 'gzip';
    const stream = () => createReadStream(path, { highWaterMark: CHUNK_BYTES });
    const { size } = await stat(path);
    return file(label, { total: size, packed: size }, gzip, stream, gzip ? null : path);
  };
  return { scratch, file, there };
}

function chosenMember(archive: Archive, name: string, wanted: MemberChoice, file: Packed) {
  const member = (entry: Entry): SourceFile => {
    const label = `${name}/${entry.fileName}`;
    return file(label, sizesOf(entry), /\.gz$/i.test(entry.fileName), () =>
      memberStream(archive, entry, label),
    );
  };
  const main = chooseMember(archive.entries, wanted, name);
  const stem = stemOf(main.fileName).toLowerCase();
  const sibling = async (ending: string): Promise<SourceFile | null> => {
    const wanted = isRelative(ending) ? posix.join(posix.dirname(stem), ending) : stem + ending;
    const sibling = archive.entries.find(entry => entry.fileName.toLowerCase() === wanted);
    return sibling === undefined ? null : member(sibling);
  };
  return { ...member(main), sibling };
}

const NO_BYTES = {
  sibling: async () => null,
  bytes: (): never => {
    throw new Error('a folder has no bytes');
  },
};

async function folderThere(path: string, name: string, progress: Progress) {
  const sizes = (await readdir(path)).map(async file => (await stat(join(path, file))).size);
  const bytes = (await Promise.all(sizes)).reduce((sum, size) => sum + size, 0);
  progress.expect(bytes);
  return { ...NO_BYTES, name, onDisk: async () => localFile(path, bytes, progress) };
}

function folderInZip(
  archive: Archive,
  name: string,
  wanted: MemberChoice & { folderHolds: string },
  file: Packed,
  scratch: Scratch,
  limit: number,
) {
  const folders = archive.entries.filter(
    ({ fileName }) => basename(fileName).toLowerCase() === wanted.folderHolds,
  );
  const { fileName: chosen } = chooseMember(
    folders.map(entry => ({ fileName: dirname(entry.fileName) })),
    wanted,
    name,
  );
  const members = archive.entries.filter(({ fileName }) => dirname(fileName) === chosen);
  const bytes = members.reduce((sum, { uncompressedSize }) => sum + uncompressedSize, 0);
  if (bytes > limit) throw tooLargeUnpacked(name, limit);
  const label = `${name}/${chosen}`;
  const onDisk = async (): Promise<LocalFile> => {
    const path = join(await scratch(), 'folder.gdb');
    await mkdir(path);
    const files = members.map(entry => {
      const member = `${name}/${entry.fileName}`;
      const packed = file(member, sizesOf(entry), false, () => memberStream(archive, entry, member));
      return { to: join(path, basename(entry.fileName)), packed };
    });
    for (const { to, packed } of files) await piped(packed.bytes(), createWriteStream(to));
    return { path, bytes, advance: () => {} };
  };
  return { ...NO_BYTES, name: label, onDisk };
}

/** The absolute path of a source that is not an http(s) URL. */
export function localPath(source: string, baseDir: string): string {
  if (/^file:/i.test(source)) return fileURLToPath(source);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(source)) {
    throw sourceError(`${source}: use a path, or a file:, http:, or https: URL.`);
  }
  return isAbsolute(source) ? source : resolve(baseDir, source);
}

async function requireFile(source: string, baseDir: string, { folderHolds }: MemberChoice): Promise<string> {
  const path = localPath(source, baseDir);
  const stats = await stat(path).catch(() => null);
  if (stats === null) {
    throw sourceError(
      `${source} is missing (looked for ${path}). Put the file there or correct the feed's source.`,
    );
  }
  const isWanted = folderHolds !== undefined && stats.isDirectory() && existsSync(join(path, folderHolds));
  if (!stats.isFile() && !isWanted)
    throw sourceError(`${source} is not a file. Set the feed's source to a file.`);
  return path;
}

/**
 * Detects compression by content, because names can be wrong and downloads often have none. For a file that
 * has moved, servers may return an HTML `page`.
 */
async function sniff(path: string, name: string): Promise<'zip' | 'gzip' | 'page' | 'plain'> {
  const file = await open(path, 'r').catch(cause => {
    throw sourceError(`Can't read ${name} (${cause.message}). Check its permissions.`, { cause });
  });
  try {
    const head = Buffer.alloc(512);
    await file.read(head, 0, head.length, 0);
    if (/^(\u00ef\u00bb\u00bf)?\s*<(!doctype )?html/i.test(head.toString('latin1'))) return 'page';
    const magic = head.toString('hex', 0, 4);
    if (magic.startsWith('1f8b')) return 'gzip';
    // "PK" and a local file header, or the end record of an empty archive.
    return magic === '504b0304' || magic === '504b0506' ? 'zip' : 'plain';
  } finally {
    await file.close();
  }
}

const sizesOf = ({ uncompressedSize, compressedSize }: Entry) => ({
  total: uncompressedSize,
  packed: compressedSize,
});

const isRelative = (ending: string): boolean => ending.startsWith('../');

/**
 * Finds `stem + ending`, upper or lower case and with or without `.gz`, in the folder of `path`. An ending
 * that starts with "../" is a relative path.
 */
async function findSibling(path: string, ending: string): Promise<string | null> {
  if (isRelative(ending)) {
    const relative = join(dirname(path), ending);
    return existsSync(relative) ? relative : null;
  }
  const stem = stemOf(basename(path));
  const names = await readdir(dirname(path));
  const candidates = [ending, `${ending}.gz`].flatMap(end =>
    names.filter(name => name.toLowerCase() === (stem + end).toLowerCase()),
  );
  // On a case-sensitive disk, there can be several spellings. Prefer the one with exactly the same stem.
  const best = candidates.find(name => name.startsWith(stem)) ?? candidates[0];
  return best === undefined ? null : join(dirname(path), best);
}

function stemOf(fileName: string): string {
  const plain = fileName.replace(/\.gz$/i, '');
  return plain.slice(0, plain.length - extname(plain).length);
}
