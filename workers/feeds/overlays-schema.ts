import { z } from 'zod';
import { MAX_CLASS_CHARS, MAX_CLASSES, MAX_DISTANCE_FT, OVERLAY_NAME } from '../../shared/model/overlays.ts';

const label = z.string().min(1).max(60);
const slug = z.string().regex(OVERLAY_NAME, 'must be 1 to 40 of a-z, 0-9, and _, and start with a letter');

const classSchema = z.strictObject({
  label: label.describe('What pages show. Default: the class.').optional(),
  color: z
    .string()
    .regex(/^#[0-9a-fA-F]{6}$/, 'is not a color; write #rrggbb')
    .describe('Color on the map, such as "#4e79a7". Default: one from a palette.')
    .optional(),
});

const numberSchema = z.strictObject({
  label: label.describe('What pages show.'),
  unit: z.string().min(1).max(20).describe('Unit of the number, such as in.').optional(),
});

const overlaySchema = z.strictObject({
  label: label.describe('What pages show.'),
  note: z
    .string()
    .min(1)
    .max(300)
    .describe('A sentence to show with the figures, such as how far to trust them.')
    .optional(),
  distance_ft: z
    .number()
    .positive()
    .max(MAX_DISTANCE_FT, `must be at most ${MAX_DISTANCE_FT}`)
    .describe(
      'Also measure the distance from each parcel to the nearest feature, up to this, in feet. Default: no distances.',
    )
    .optional(),
  classes: z
    .record(z.string().min(1).max(MAX_CLASS_CHARS), classSchema)
    .refine(classes => Object.keys(classes).length <= MAX_CLASSES, `must have at most ${MAX_CLASSES} classes`)
    .describe(
      'The classes, with their labels and colors. Features of any other class are rejected. Default: every class of the source.',
    )
    .optional(),
  numbers: z
    .record(slug, numberSchema)
    .describe(
      "Columns with numbers, by their names in layer.columns. Plat stores each parcel's mean, weighted by area.",
    )
    .optional(),
});

export const OVERLAYS_SECTION = {
  overlays: z
    .record(slug, overlaySchema)
    .describe(
      'Kind overlay: the overlays that the feed fills, by name. Several feeds, such as one per town, can fill the same overlay. layer.columns has a column with the name of each overlay, which is the class. Without it, all features have the name of the overlay as their class.',
    ),
};

export type OverlaysSection = z.input<typeof OVERLAYS_SECTION.overlays>;
