import { type Pool, sql } from '../../shared/db.ts';
import { PlatError } from '../../shared/errors.ts';
import { fiveDigits } from '../../shared/regions/counties.ts';

/** @throws PlatError `not_found` when a scope names a county or a ZIP that does not exist */
export async function requireRegion(pool: Pool, scope: object): Promise<void> {
  const { fips, zip } = scope as { fips?: number; zip?: string };
  const code = fips === undefined ? zip : fiveDigits(fips);
  if (code === undefined) return;
  const type = fips === undefined ? 'zip' : 'county';
  const { rowCount } = await pool.query(sql('regions/find_region'), [type, code]);
  if (rowCount) return;
  const message = type === 'county' ? `No county has the FIPS code ${code}.` : `There is no ZIP ${code}.`;
  throw new PlatError('not_found', message, { status: 404 });
}
