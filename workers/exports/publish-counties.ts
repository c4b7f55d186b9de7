import { mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { columnsOf, type ExportColumn } from '../../shared/exports/export-columns.ts';
import type { Db } from '../../shared/platform/db.ts';
import { errorCode, PlatError } from '../../shared/platform/errors.ts';
import { creditOf } from './credits.ts';
import { saveFile } from './save-file.ts';

export const MANIFEST = 'manifest.json';

export type PublishedFile = {
  fips: string;
  county: string;
  state: string;
  /** File name, relative to the manifest. */
  path: string;
  rows: number;
  bytes: number;
  sha256: string;
  bbox: [number, number, number, number] | null;
  /** Credits and terms of use for the rows. */
  sources: string;
  made_at: string;
};

export type Manifest = {
  format: 'GeoParquet 1.1';
  columns: readonly ExportColumn[];
  files: PublishedFile[];
};

type County = Pick<PublishedFile, 'fips' | 'county' | 'state' | 'bbox'>;

/** More than the number of counties in the United States. */
const ALL = 5_000;

/**
 * Rewrites the manifest after each file, so that it lists only complete files.
 * @throws `not_found`, `export_file`
 */
export async function publishCounties(db: Db, folder: string, named?: number[]): Promise<Manifest> {
  const all = await db.run<County>('exports/list_published', { limit: ALL });
  const missing = named?.filter(fips => !all.some(county => Number(county.fips) === fips)) ?? [];
  if (missing.length > 0)
    throw new PlatError(
      'not_found',
      `No parcels are loaded for ${missing.join(', ')}. \`plat county list\` shows the loaded counties.`,
    );
  await mkdir(folder, { recursive: true }).catch(error => {
    throw new PlatError('export_file', `Can't create ${folder}: ${(error as Error).message}.`, {
      cause: error,
    });
  });
  const files = new Map((await readManifest(folder)).map(file => [file.fips, file]));
  const manifest = (): Manifest => ({
    format: 'GeoParquet 1.1',
    columns: columnsOf({}),
    files: [...files.values()].sort((a, b) => (a.fips < b.fips ? -1 : 1)),
  });
  // Remove the files of counties that no longer have parcels.
  if (named === undefined)
    for (const { fips, path } of files.values()) {
      if (all.some(county => county.fips === fips)) continue;
      files.delete(fips);
      await rm(join(folder, path), { force: true });
    }
  for (const county of all.filter(({ fips }) => named?.includes(Number(fips)) ?? true)) {
    const path = `${county.fips}.parquet`;
    const made_at = new Date().toISOString();
    const sources = await creditOf(db, Number(county.fips));
    const request = { filter: { county: county.fips }, format: 'geoparquet' } as const;
    const { rows, bytes, sha256 } = await saveFile(db, request, join(folder, path));
    files.set(county.fips, { ...county, path, rows, bytes, sha256, sources, made_at });
    await writeManifest(folder, manifest());
  }
  await writeManifest(folder, manifest());
  return manifest();
}

async function readManifest(folder: string): Promise<PublishedFile[]> {
  try {
    return (JSON.parse(await readFile(join(folder, MANIFEST), 'utf8')) as Manifest).files;
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return [];
    throw new PlatError(
      'export_file',
      `Can't read ${join(folder, MANIFEST)}. Delete it to write all counties again.`,
      { cause: error },
    );
  }
}

async function writeManifest(folder: string, manifest: Manifest): Promise<void> {
  const draft = join(folder, `${MANIFEST}.part`);
  await writeFile(draft, `${JSON.stringify(manifest, null, 2)}\n`);
  await rename(draft, join(folder, MANIFEST));
}
