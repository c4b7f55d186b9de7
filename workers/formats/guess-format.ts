import { existsSync, statSync } from 'node:fs';
import { basename } from 'node:path';
import { LIMITS } from '../../shared/platform/http/download-context.ts';
import { FILE_FORMATS, type FileFormat, type Format } from './file-formats.ts';
import { formatOf } from './read-format.ts';
import { openArchive } from './zip.ts';

/**
 * A file's format, judged by its name or by the contents of a zip. Null if unclear.
 * @throws PlatError `feed_source` for a bad zip
 */
export async function guessFormat(path: string, name = path): Promise<Format | null> {
  const named = formatOf(path);
  const isZip = /\.zip$/i.test(path) && formatOf(path.replace(/\.zip$/i, '')) === null;
  if (!isZip || !existsSync(path) || !statSync(path).isFile()) return named;
  const archive = await openArchive(path, name, LIMITS);
  archive.close();
  return formatOfMembers(archive.entries.map(({ fileName }) => fileName)) ?? named;
}

/** The format of the data in a zip. Ignores notes, and tables that belong to a shapefile. */
function formatOfMembers(names: readonly string[]): FileFormat | null {
  // Some servers zip a geodatabase with its folder, others without it.
  if (names.some(name => basename(name).toLowerCase() === FILE_FORMATS.filegdb.folderHolds)) return 'filegdb';
  if (names.some(name => /(^|\/)(gsm)?soilmu_a_\w+\.shp$/i.test(name))) return 'ssurgo';
  const formats = new Set(names.map(name => formatOf(name)));
  if (formats.has('shapefile')) return 'shapefile';
  const [only, ...others] = [...formats].filter(format => format !== null);
  // A note such as readme.txt would count as a CSV by its name.
  if (others.length === 0) return (only as FileFormat | undefined) ?? null;
  const [data, ...more] = [only, ...others].filter(format => format !== 'csv');
  return more.length === 0 ? (data as FileFormat) : null;
}
