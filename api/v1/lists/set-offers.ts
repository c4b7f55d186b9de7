import { z } from 'zod';
import { addToGroup } from '../../../shared/kernels/groups.ts';
import { isGrouped, type RowsPer } from '../../../shared/lists/list-terms.ts';
import { shareOffer } from '../../../shared/lists/offer.ts';
import type { PickedRow } from '../../../shared/lists/read-list.ts';
import type { Db } from '../../../shared/platform/db.ts';

const MAX_OFFER = 1_000_000_000;

/** A price that a person enters for a row, or null for the computed one. */
export const enteredOffer = z
  .int('must be a whole number of dollars, or null')
  .min(1, 'must be 1 or more')
  .max(MAX_OFFER, `must be at most ${MAX_OFFER}`)
  .nullable();

export const rowOffers = (most: number) =>
  z
    .array(
      z.strictObject({
        property_id: z.int('must be a whole number').min(1, 'must be 1 or more'),
        offer: enteredOffer,
      }),
    )
    .min(1, 'must have at least one row')
    .max(most, `must have at most ${most} per call`)
    .refine(all => new Set(all.map(one => one.property_id)).size === all.length, 'must not repeat a row');

type Entry = { property_id: number; offer: number | null };

/**
 * Stores the prices that a person entered. With one row per owner or assemblage, a price is split over its
 * parcels.
 * @param entries prices by row, or one price for all picked rows
 */
export async function setOffers(
  db: Db,
  list: RowsPer & { id: string },
  picked: readonly PickedRow[],
  entries: readonly Entry[] | number | null,
): Promise<void> {
  const prices = Array.isArray(entries)
    ? new Map(entries.map(({ property_id, offer }: Entry) => [property_id, offer]))
    : undefined;
  const rows = new Map<number, PickedRow[]>();
  for (const row of picked) addToGroup(rows, isGrouped(list) ? row.leader : row.property_id, row);
  const ids: number[] = [];
  const offers: (number | null)[] = [];
  for (const parcels of rows.values()) {
    const named = parcels.find(({ property_id, by_itself }) =>
      prices === undefined ? by_itself : prices.has(property_id),
    );
    if (named === undefined) continue;
    const offer = prices === undefined ? (entries as number | null) : prices.get(named.property_id)!;
    const sizes = parcels.map(({ effective_acres }) => effective_acres);
    ids.push(...parcels.map(({ property_id }) => property_id));
    offers.push(...(offer === null ? parcels.map(() => null) : shareOffer(offer, sizes)));
  }
  await db.run('lists/set_offers', { list_id: list.id, property_ids: ids, offers });
}
