import { type Overlay, type ParcelOverlay, paletteColor } from '../../shared/model/overlays.ts';
import { putLayer } from './land.ts';
import type { TestDb } from './test-db.ts';

/** An overlay with labels and colors of its classes. */
export const overlayOf = (
  name: string,
  classes: readonly string[],
  distance_ft: number | null = null,
): Overlay => ({
  name,
  label: `The ${name}`,
  distance_ft,
  classes: classes.map((item, i) => ({
    class: item,
    label: `Class ${item}`,
    color: paletteColor(i),
    features: i + 1,
  })),
  numbers: [],
});

export type TestOverlay = ParcelOverlay & { property_id: number };

/** A parcel's figures, as a chunk stores them. */
export function figuresOf(
  property_id: number,
  overlay: string,
  classes: Record<string, number>,
  more: Partial<ParcelOverlay> = {},
): TestOverlay {
  const found = Object.entries(classes).filter(([, percent]) => percent > 0);
  const sorted = found.sort(([, a], [, b]) => b - a);
  const percents = sorted.map(([, percent]) => percent);
  return {
    property_id,
    overlay,
    percent: percents.reduce((sum, percent) => sum + percent, 0),
    classes: sorted.map(([name]) => name),
    percents,
    nearest_ft: null,
    nearest_name: null,
    numbers: {},
    ...more,
  };
}

/** Declares overlays as a merge of their feed does, and stores figures. */
export async function putOverlays(
  pool: TestDb,
  overlays: readonly Overlay[],
  figures: readonly TestOverlay[],
): Promise<void> {
  await putLayer(pool, 'overlay', { coverage: [-73, 42, -71, 44] });
  await pool.query("update land_layers set overlays = $1 where kind = 'overlay'", [JSON.stringify(overlays)]);
  await pool.query(
    `insert into parcel_overlays
     select (r.property_id / 100000000)::int, r.overlay, r.property_id, r.percent, r.classes, r.percents, r.nearest_ft,
       r.nearest_name, r.numbers
     from jsonb_populate_recordset(null::parcel_overlays, $1) r`,
    [JSON.stringify(figures)],
  );
}
