import { readdir, stat } from 'node:fs/promises';
import { basename, dirname, extname, isAbsolute, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import type { Entry } from 'yauzl';
import { limitsOf, type OpenContext, shownUrl, sourceError } from '../../shared/net/context.ts';
import { type Download, download } from '../../shared/net/http.ts';
import { fileBytes, type Progress, sniff, unpacked } from './bytes.ts';
import { type Archive, chooseMember, openArchive } from './zip.ts';

/** One file of a feed, wherever it lies: on disk, behind http(s), in a zip, as a gzip. */
export type OpenedSource = {
  /** For messages: the path or address as the feed has it, and the member of a zip. */
  name: string;
  /** The unpacked bytes from the start; a further call begins again. */
  bytes(): AsyncGenerator<Buffer>;
  /** A file with the same stem and another extension (".dbf") beside it, or null. */
  sibling(extension: string): Promise<Sibling | null>;
  close(): Promise<void>;
};

export type Sibling = Pick<OpenedSource, 'name' | 'bytes'>;

export type Wanted = {
  /** What a member of a zip ends with to be meant, with the dot, lower case. */
  extensions: string[];
  /** The member that the feed names. */
  member?: string | undefined;
};

/**
 * Opens one source: a path (relative ones start at `baseDir`), a `file:` URL or an http(s) URL.
 * @throws PlatError `feed_source` when it is missing or unreachable, `feed_format` when a zip leaves the choice open.
 */
export async function openSource(
  source: string,
  wanted: Wanted,
  context: OpenContext,
  progress: Progress,
): Promise<OpenedSource> {
  if (/^https?:\/\//i.test(source)) return openUrl(new URL(source), wanted, context, progress);
  const path = localPath(source, context.baseDir);
  await requireFile(path, source);
  return openFile(path, source, wanted, context, progress);
}

/** The absolute path of a source that is no http(s) address. */
export function localPath(source: string, baseDir: string): string {
  if (/^file:/i.test(source)) return fileURLToPath(source);
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(source)) {
    throw sourceError(`${source}: only paths, file:, http: and https: addresses can be read.`);
  }
  return isAbsolute(source) ? source : resolve(baseDir, source);
}

async function requireFile(path: string, source: string): Promise<void> {
  const found = await stat(path).catch(() => null);
  if (found === null) {
    throw sourceError(
      `${source} is missing (looked for ${path}). Put the file there or correct the feed's source.`,
    );
  }
  if (!found.isFile()) throw sourceError(`${source} is not a file. Name a file in the feed's source.`);
}

async function openFile(
  path: string,
  name: string,
  wanted: Wanted,
  context: OpenContext,
  progress: Progress,
): Promise<OpenedSource> {
  const kind = await sniff(path).catch(cause => {
    throw sourceError(`${name} cannot be read (${cause.message}). Check its permissions.`, { cause });
  });
  if (kind === 'zip')
    return openMember(await openArchive(path, name, limitsOf(context)), name, wanted, context, progress);
  const main = await onDisk(path, name, context, progress);
  return {
    ...main,
    sibling: async extension => {
      const beside = await findBeside(path, extension);
      return beside === null ? null : onDisk(beside, basename(beside), context, progress);
    },
    close: async () => {},
  };
}

async function onDisk(
  path: string,
  name: string,
  context: OpenContext,
  progress: Progress,
): Promise<Sibling> {
  const gzip = (await sniff(path)) === 'gzip';
  progress.expect((await stat(path)).size);
  return { name, bytes: () => fileBytes(path, name, gzip, context, progress) };
}

/** Finds `stem + extension`, whatever its case and with or without `.gz`, in the folder of `path`. */
async function findBeside(path: string, extension: string): Promise<string | null> {
  const stem = stemOf(basename(path));
  const names = await readdir(dirname(path));
  const found = [extension, `${extension}.gz`].flatMap(end =>
    names.filter(name => name.toLowerCase() === (stem + end).toLowerCase()),
  );
  // A case-sensitive disk may hold both spellings: the one with the same stem is meant.
  const best = found.find(name => name.startsWith(stem)) ?? found[0];
  return best === undefined ? null : join(dirname(path), best);
}

function stemOf(fileName: string): string {
  const plain = fileName.replace(/\.gz$/i, '');
  return plain.slice(0, plain.length - extname(plain).length);
}

function openMember(
  archive: Archive,
  name: string,
  wanted: Wanted,
  context: OpenContext,
  progress: Progress,
): OpenedSource {
  const read = (entry: Entry): Sibling => {
    const label = `${name}/${entry.fileName}`;
    progress.expect(entry.uncompressedSize);
    return { name: label, bytes: () => memberBytes(archive, entry, label, context, progress) };
  };
  try {
    const main = chooseMember(archive, wanted.extensions, wanted.member, name);
    const stem = stemOf(main.fileName).toLowerCase();
    return {
      ...read(main),
      sibling: async extension => {
        const beside = archive.entries.find(entry => entry.fileName.toLowerCase() === stem + extension);
        return beside === undefined ? null : read(beside);
      },
      close: async () => archive.close(),
    };
  } catch (error) {
    archive.close();
    throw error;
  }
}

async function* memberBytes(
  archive: Archive,
  entry: Entry,
  name: string,
  context: OpenContext,
  progress: Progress,
): AsyncGenerator<Buffer> {
  if (!entry.canDecodeFileData()) {
    const why = entry.isEncrypted() ? 'is encrypted' : `uses compression method ${entry.compressionMethod}`;
    throw sourceError(`${name} ${why}, which cannot be read. Pack it again with plain deflate.`);
  }
  const stream = await archive.zip.openReadStreamPromise(entry).catch(cause => {
    throw sourceError(`${name} cannot be unpacked (${cause.message}). Fetch or copy the zip again.`, {
      cause,
    });
  });
  yield* unpacked(stream, name, /\.gz$/i.test(entry.fileName), context, progress);
}

async function openUrl(
  url: URL,
  wanted: Wanted,
  context: OpenContext,
  progress: Progress,
): Promise<OpenedSource> {
  const downloads: Download[] = [];
  const close = async () => {
    await Promise.all(downloads.map(each => each.remove()));
  };
  const fetched = await download(url, context);
  if (fetched === null) throw sourceError(`${shownUrl(url)} is missing. Correct the feed's source.`);
  downloads.push(fetched);
  try {
    const main = await openFile(fetched.path, shownUrl(url), wanted, context, progress);
    if ((await sniff(fetched.path)) === 'zip') {
      return { ...main, close: () => main.close().then(close) };
    }
    const sibling = async (extension: string) => {
      const beside = siblingUrl(url, extension);
      const found = beside === null ? null : await download(beside, context, { optional: true });
      if (beside === null || found === null) return null;
      downloads.push(found);
      return onDisk(found.path, shownUrl(beside), context, progress);
    };
    return { ...main, sibling, close };
  } catch (error) {
    await close();
    throw error;
  }
}

/** The address of a sibling: the extension of the path replaced in the same case, `.gz` and query kept. */
function siblingUrl(url: URL, extension: string): URL | null {
  const match = /\.(\w+)(\.gz)?$/i.exec(url.pathname);
  if (match === null) return null;
  const upper = match[1] === match[1]?.toUpperCase();
  const beside = new URL(url);
  beside.pathname =
    url.pathname.slice(0, match.index) + (upper ? extension.toUpperCase() : extension) + (match[2] ?? '');
  return beside;
}
