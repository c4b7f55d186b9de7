import { count, oneDigit, percent } from '../model/figures.ts';
import type { Overlay, ParcelOverlay } from '../model/overlays.ts';
import { countyOf } from '../model/property-id.ts';
import type { Db } from '../platform/db.ts';
import { listOverlays } from './overlay-feeds.ts';

/** A parcel's figures in an overlay, as text. */
export type OverlayWords = { label: string; words: string };

/** Reads the overlays of a parcel, and describes each in one line. */
export async function readOverlayWords(db: Db, propertyId: number): Promise<OverlayWords[]> {
  const rows = await db.run<ParcelOverlay>('land/list_parcel_overlays', {
    fips: countyOf(propertyId),
    property_id: propertyId,
  });
  if (rows.length === 0) return [];
  const figures = new Map(rows.map(row => [row.overlay, row]));
  return (await listOverlays(db)).flatMap(overlay => {
    const of = figures.get(overlay.name);
    return of === undefined ? [] : [{ label: overlay.label, words: describeOverlay(overlay, of) }];
  });
}

export function describeOverlay(
  { classes, numbers, distance_ft }: Overlay,
  of: Omit<ParcelOverlay, 'overlay'>,
): string {
  const labels = new Map(classes.map(item => [item.class, item.label]));
  const parts = [
    ...of.classes.map((item, i) => `${labels.get(item) ?? item} ${percent(of.percents[i]!)}`),
    ...numbers.flatMap(({ name, label, unit }) => {
      const value = of.numbers[name];
      return value === undefined
        ? []
        : [[label.toLowerCase(), oneDigit(value), unit].filter(Boolean).join(' ')];
    }),
    ...(distance_ft === null ? [] : [nearestWords(distance_ft, of)]),
  ];
  return parts.join(', ') || 'none on the parcel';
}

function nearestWords(limit: number, { nearest_ft, nearest_name }: Omit<ParcelOverlay, 'overlay'>): string {
  if (nearest_ft === null) return `none within ${count(limit)} ft`;
  const name = nearest_name === null ? '' : ` (${nearest_name})`;
  return `nearest ${nearest_ft === 0 ? 'on the parcel' : `${count(nearest_ft)} ft`}${name}`;
}
