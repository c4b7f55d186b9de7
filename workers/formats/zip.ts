import type { Readable } from 'node:stream';
import { type Entry, openPromise, type ZipFile } from 'yauzl';
import { PlatError } from '../../shared/platform/errors.ts';
import { formatError, type Limits, sourceError } from '../../shared/platform/http/download-context.ts';

export type Archive = { zip: ZipFile; entries: Entry[]; close(): void };

/** Lists the files, without folders and macOS's shadow copies. @throws PlatError `feed_source` */
export async function openArchive(path: string, name: string, limits: Limits): Promise<Archive> {
  let zip: ZipFile;
  try {
    zip = await openPromise(path, { autoClose: false });
  } catch (cause) {
    throw sourceError(
      `${name} is not a readable zip (${(cause as Error).message}). Download or copy it again.`,
      { cause },
    );
  }
  const entries: Entry[] = [];
  try {
    for await (const entry of zip.eachEntry()) {
      if (entries.length >= limits.zipEntries) {
        throw sourceError(
          `${name} has more than ${limits.zipEntries} files. Put the file to read in its own zip.`,
        );
      }
      if (isData(entry.fileName)) entries.push(entry);
    }
  } catch (cause) {
    zip.close();
    if (cause instanceof Error && cause.name === 'PlatError') throw cause;
    throw sourceError(`${name} is a broken zip (${(cause as Error).message}). Download or copy it again.`, {
      cause,
    });
  }
  return { zip, entries, close: () => zip.close() };
}

/**
 * @throws PlatError `feed_source` for a member that is encrypted, uses another compression method, or is
 * damaged
 */
export async function memberStream({ zip }: Archive, entry: Entry, name: string): Promise<Readable> {
  if (!entry.canDecodeFileData()) {
    const why = entry.isEncrypted() ? 'is encrypted' : `uses compression method ${entry.compressionMethod}`;
    throw sourceError(`${name} ${why}, which Plat can't read. Pack it again with plain deflate.`);
  }
  return zip.openReadStreamPromise(entry).catch(cause => {
    throw sourceError(`Can't unpack ${name} (${cause.message}). Download or copy the zip again.`, {
      cause,
    });
  });
}

const isData = (fileName: string): boolean =>
  !fileName.endsWith('/') && !/(^|\/)(__MACOSX\/|\._|\.DS_Store$)/.test(fileName);

type Named = { fileName: string };

/**
 * The member to read: the one that the feed names, the only one with a matching extension, or the only one.
 * `member` is a path in the archive, or the end of one, with or without its extension.
 * @throws PlatError `feed_format` with the candidates, and the name of `member`
 */
export function chooseMember<Member extends Named>(
  entries: Member[],
  { extensions, member }: { extensions: string[]; member?: string | undefined },
  name: string,
): Member {
  const fits = entries.filter(entry => hasExtension(entry.fileName, extensions));
  if (member !== undefined) {
    const named = entries.filter(entry => isNamed(entry.fileName, member, extensions));
    const exact = named.filter(entry => entry.fileName === member);
    const [chosen] = exact.length === 1 ? exact : named;
    if (chosen !== undefined && (named.length === 1 || exact.length === 1)) return chosen;
    throw formatError(
      `${name} has ${named.length === 0 ? 'no' : 'several'} files that match member "${member}". Its files: ${list(entries)}.`,
    );
  }
  const candidates = fits.length === 0 && entries.length === 1 ? entries : fits;
  const [only] = candidates;
  if (only !== undefined && candidates.length === 1) return only;
  if (candidates.length === 0) {
    if (entries.some(entry => /\.gdbtable$/i.test(entry.fileName)))
      throw formatError(
        `${name} has no ${extensions.join(' or ')} file, but a file geodatabase. Set "format" to filegdb in the feed (--format filegdb of \`plat feed suggest\`).`,
      );
    const inner = entries.filter(entry => /\.(zip|7z|rar|tar|tgz|tar\.gz)$/i.test(entry.fileName));
    if (inner.length > 0)
      throw formatError(
        `${name} has no ${extensions.join(' or ')} file, but ${inner.length === 1 ? 'another archive' : `${inner.length} other archives`}: ${list(inner)}. Unpack ${name} and set the source to the file in it.`,
      );
    throw formatError(
      `${name} has no ${extensions.join(' or ')} file. Its files: ${list(entries)}. Correct "format" in the feed (--format of \`plat feed suggest\`).`,
    );
  }
  throw new PlatError(
    'feed_format',
    `${name} has ${candidates.length} files to choose from: ${list(candidates)}. Set "member" in the feed to one of them (--member of \`plat feed suggest\`).`,
    { status: 422, details: { member: candidates.map(({ fileName }) => fileName) } },
  );
}

function hasExtension(fileName: string, extensions: string[]): boolean {
  const plain = fileName.toLowerCase().replace(/\.gz$/, '');
  return extensions.some(extension => plain.endsWith(extension));
}

function isNamed(fileName: string, member: string, extensions: string[]): boolean {
  const path = `/${fileName.toLowerCase()}`;
  const wanted = `/${member.toLowerCase().replace(/^\/+/, '')}`;
  return path.endsWith(wanted) || extensions.some(extension => path.endsWith(wanted + extension));
}

function list(entries: Named[]): string {
  const names = entries.slice(0, 20).map(entry => entry.fileName);
  return names.join(', ') + (entries.length > names.length ? `, … (${entries.length})` : '') || 'nothing';
}
