import { createHash } from 'node:crypto';
import { NO_STATS, type RegionFields, statsBody, statsEtag } from '../../shared/model/market-stats.ts';
import { uuidV5 } from '../../shared/model/uuid.ts';
import type { Db } from '../../shared/platform/db.ts';
import { PlatError } from '../../shared/platform/errors.ts';
import { allCounties, fiveDigits } from '../../shared/regions/counties.ts';
import { readZips, type Skipped } from '../../shared/regions/zip-file.ts';

export type LoadResult = {
  counties: number;
  zips: number;
  /** Entries in the ZIP file that aren't regions. */
  skipped: Skipped;
  /** Number of regions added or corrected. 0 if the database was up to date. */
  changed: number;
};

/**
 * Updates the tables `regions` and `region_stats` from the packages, and stores a response for each region.
 * It is safe to repeat, even from several processes at once. A region that is no longer in the packages is
 * kept, because saved markets may use it.
 */
export async function loadRegions(db: Db): Promise<LoadResult> {
  const { rows, skipped } = regionRows();
  const counties = rows.filter(row => row.type === 'county').length;
  const result = { counties, zips: rows.length - counties, skipped };
  const found = await db.run<{ digest: string; without_stats: number }>('regions/digest_regions');
  if (found[0]?.digest === digestOf(rows) && found[0].without_stats === 0) return { ...result, changed: 0 };

  const changed = await db.transaction(async tx => {
    const written = await upsertRegions(tx, rows);
    await insertMissingStats(tx, rows);
    return written;
  });
  // Up to 44,000 rows are new. Without this, PostgreSQL assumes that the tables are empty until autovacuum
  // runs.
  if (changed > 0) await db.execute('analyze regions, region_stats');
  return { ...result, changed };
}

/** Must match the digest in regions/digest_regions. */
function digestOf(rows: readonly RegionRow[]): string {
  const lines = rows.map(r => [r.id, r.type, r.code, r.name, r.state, r.county_name, r.fips].join('\t'));
  return createHash('md5').update(lines.join('\n')).digest('hex');
}

async function upsertRegions(db: Db, rows: readonly RegionRow[]): Promise<number> {
  const counts = await db.run<{ written: number }>('regions/upsert_regions', {
    regions: JSON.stringify(rows),
  });
  return counts[0]?.written ?? 0;
}

async function insertMissingStats(db: Db, rows: readonly RegionRow[]): Promise<void> {
  const without = await db.run<{ key: string }>('regions/list_regions_without_stats');
  const missing = new Set(without.map(row => row.key));
  const added = rows.filter(row => missing.has(`${row.type}:${row.code}`));
  if (added.length === 0) return;
  const fields = added.map(regionFields);
  await db.run('regions/insert_region_stats', {
    types: added.map(row => row.type),
    codes: added.map(row => row.code),
    etags: fields.map(region => statsEtag(region, NO_STATS)),
    bodies: fields.map(region => statsBody(region, NO_STATS)).join('\n'),
  });
}

/** A row in table `regions`. `code` is the FIPS code or the ZIP, and `fips` is the county's FIPS code. */
export type RegionRow = Omit<RegionFields, 'fips'> & { code: string; fips: number };

function regionRows(): { rows: RegionRow[]; skipped: Skipped } {
  const counties = allCounties();
  const countyOf = new Map(counties.map(county => [county.fips, county]));
  const { zips, skipped } = readZips();
  const rows: RegionRow[] = counties.map(({ fips, name, state }) => {
    const code = fiveDigits(fips);
    return { id: uuidV5(`county:${code}`), type: 'county', code, name, state, county_name: name, fips };
  });
  for (const { zip, fips } of zips) {
    const county = countyOf.get(fips);
    if (county === undefined)
      throw new PlatError('regions', `ZIP code ${zip} is in county ${fips}, which is unknown.`);
    const { name: county_name, state } = county;
    rows.push({ id: uuidV5(`zip:${zip}`), type: 'zip', code: zip, name: zip, state, county_name, fips });
  }
  return { rows, skipped };
}

/** A region in the API's format, where a ZIP has an empty FIPS code. */
export function regionFields({ id, type, code, name, state, county_name }: RegionRow): RegionFields {
  return { id, type, name, state, county_name, fips: type === 'county' ? code : '' };
}
