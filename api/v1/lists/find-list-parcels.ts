import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { type Asking, selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { validationError } from '../../http/error-responses.ts';
import { inField } from '../common/in-field.ts';
import { requireKnownRegions } from '../common/known-regions.ts';
import { findByApns } from '../parcels/find-parcels.ts';

/** Maximum number of parcels that one call's filter can match. Adding this many takes a few seconds. */
export const MAX_FOUND = 200_000;

/** Sorted and without duplicates. */
export const distinct = (ids: readonly number[]): number[] => [...new Set(ids)].sort((a, b) => a - b);

export async function findNumbers(
  db: Db,
  fips: string,
  apns: readonly string[],
): Promise<{ ids: number[]; unknown: string[] }> {
  await requireKnownRegions(db, [{ field: 'fips', type: 'county', codes: [fips] }]);
  const asked = [...new Set(apns.map(apn => apn.trim()))].filter(apn => apn !== '');
  const byNumber = await findByApns(db, Number(fips), asked);
  return {
    ids: distinct([...byNumber.values()].flat()),
    unknown: asked.filter(apn => !byNumber.has(apn)),
  };
}

/** All matches of a filter. @throws PlatError `validation_error` if there are too many, or like the filter */
export async function findByFilter(filter: FilterBody, db: Db, asking: Asking): Promise<number[]> {
  const { from, where, values } = await inField('filter', () => selectParcels(filter, asking, db));
  const [row] = await db.run<{ ids: Buffer }>(
    'parcels/collect_hits',
    { ...values, limit: MAX_FOUND + 1 },
    { from, where },
  );
  const count = row!.ids.length / 8;
  if (count > MAX_FOUND)
    throw validationError({
      filter: [
        `matches more than ${MAX_FOUND.toLocaleString('en-US')} parcels. Split it, for example by acres or ZIP codes, and add them in several calls`,
      ],
    });
  return Array.from({ length: count }, (_, i) => Number(row!.ids.readBigInt64BE(8 * i)));
}
