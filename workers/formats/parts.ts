import { formatError, limitsOf } from '../../shared/platform/http/download-context.ts';
import { cachedDownload } from '../../shared/platform/http/shared-copy.ts';
import type { InputSettings } from './input-settings.ts';
import type { ReadContext } from './row-batch.ts';
import { localPath, type MemberChoice } from './source.ts';
import { openArchive } from './zip.ts';

/** One file of a source: its path, and the member name if it is in a zip. */
export type Part = InputSettings & { source: string; member?: string | undefined };

const isPlainFile = (source: string, extensions: readonly string[]): boolean =>
  extensions.some(end => source.toLowerCase().endsWith(end));

const isAddress = (source: string): boolean => /^https?:\/\//i.test(source);

/**
 * The files of one source of a feed. If a feed reads only part of a file at a URL, it uses a copy that it
 * shares with other feeds. Each zip member that matches a pattern is a file.
 * @throws PlatError `feed_source`; `feed_format` if no member matches
 */
export async function partsOf(
  spec: InputSettings & { source: string },
  { extensions, members }: Pick<MemberChoice, 'extensions' | 'members'>,
  context: ReadContext,
): Promise<Part[]> {
  const { source } = spec;
  const member = spec.member ?? (isPlainFile(source, extensions) ? undefined : members);
  const shares = spec.within !== undefined && isAddress(source) && !/\.shp$/i.test(source);
  const { sharedDir } = context;
  const copy = shares && sharedDir ? await cachedDownload(new URL(source), sharedDir, context) : null;
  const from = copy ?? source;
  if (member === undefined || (typeof member === 'string' && !member.includes('*')))
    return [{ ...spec, source: from, member }];
  if (isAddress(from))
    throw formatError(
      `${source}: member patterns need a server that sends the date of the file, and PLAT_DIR for a copy.`,
    );
  const archive = await openArchive(localPath(from, context.baseDir), source, limitsOf(context));
  archive.close();
  const names = archive.entries.map(({ fileName }) => fileName);
  const matching = names.filter(
    name => isMeant(name, [member].flat()) && extensions.some(end => name.toLowerCase().endsWith(end)),
  );
  if (matching.length === 0)
    throw formatError(
      `${source} has no member that matches ${[member].flat().join(', ')}. Its members: ${names.slice(0, 20).join(', ')}.`,
    );
  return matching.sort().map(each => ({ ...spec, source: from, member: each }));
}

/**
 * Whether a member matches a pattern (* matches anything) and isn't excluded by a pattern that starts with
 * "!".
 */
function isMeant(name: string, patterns: readonly string[]): boolean {
  const fits = (pattern: string) => {
    const parts = pattern.split('*').map(part => part.replace(/[.+?^${}()|[\]\\]/g, '\\$&'));
    return new RegExp(`(^|/)${parts.join('.*')}$`, 'i').test(name);
  };
  return (
    patterns.some(pattern => !pattern.startsWith('!') && fits(pattern)) &&
    !patterns.some(pattern => pattern.startsWith('!') && fits(pattern.slice(1)))
  );
}
