import { z } from 'zod';
import { round2 } from '../../../shared/kernels/stats/rounding.ts';
import { listOverlays } from '../../../shared/land/overlay-feeds.ts';
import type { ParcelOverlay } from '../../../shared/model/overlays.ts';
import type { Db } from '../../../shared/platform/db.ts';

const inOverlay = z
  .object({
    label: z.string().describe('Name to show.'),
    percent: z.number().describe('Share of the parcel in features of any class, in percent.'),
    classes: z
      .array(
        z.object({
          class: z.string().describe('Class. `GET overlays/` has its label.'),
          percent: z.number().describe('Share of the parcel, in percent. Overlapping features count once.'),
          acres: z.number().nullable().describe('Acres. Null if the acreage is unknown.'),
        }),
      )
      .describe('Classes on the parcel, largest first.'),
    nearest_ft: z
      .number()
      .nullable()
      .describe(
        'Distance to the nearest feature, in feet. Null if the overlay has no distances, or if no feature is within its `distance_ft`.',
      ),
    nearest_name: z
      .string()
      .nullable()
      .describe('Name of the nearest feature. Null if there is none, or if it has no name.'),
    numbers: z
      .record(z.string(), z.number())
      .describe("The overlay's numbers by name: means over the parcel, weighted by area."),
  })
  .meta({ id: 'ParcelOverlay' });

export const parcelOverlays = z
  .record(z.string(), inOverlay)
  .describe(
    'Figures by overlay, such as zoning. Overlays that do not cover the parcel are missing. `GET overlays/` lists them.',
  );

export type StoredOverlays = Record<string, Omit<ParcelOverlay, 'overlay'>>;

/** @param acres of the parcel's boundary */
export async function showOverlays(
  db: Db,
  stored: StoredOverlays | null,
  acres: number | null,
): Promise<z.output<typeof parcelOverlays>> {
  if (stored === null) return {};
  const declared = await listOverlays(db);
  return Object.fromEntries(
    declared.flatMap(({ name, label }) => {
      const figures = stored[name];
      if (figures === undefined) return [];
      const { percent, classes, percents, nearest_ft, nearest_name, numbers } = figures;
      const shares = classes.map((item, i) => ({
        class: item,
        percent: percents[i]!,
        acres: acres === null ? null : round2((acres * percents[i]!) / 100),
      }));
      return [[name, { label, percent, classes: shares, nearest_ft, nearest_name, numbers }]];
    }),
  );
}
