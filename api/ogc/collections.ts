import { z } from 'zod';
import { listOverlays } from '../../shared/land/overlay-feeds.ts';
import type { Overlay } from '../../shared/model/overlays.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { Collection } from './collection-parts.ts';
import { compItems } from './comp-items.ts';
import { countyItems } from './county-items.ts';
import { layerItems } from './layer-items.ts';
import { parcelItems } from './parcel-items.ts';

export type Collections = Readonly<Record<string, Collection>>;

const classed = z.object({ class: z.string() });

const FIXED: Collections = {
  parcels: parcelItems,
  comps: compItems,
  counties: countyItems,
  zips: layerItems({
    title: 'ZIP codes',
    description: 'Areas of ZIP codes, as loaded by the operator.',
    layersOf: () => "kind = 'zips'",
    properties: z.object({ zip: z.string() }),
    propertiesOf: ({ class: zip }) => ({ zip }),
  }),
  roads: layerItems({
    title: 'Roads',
    description: 'Centerlines of roads by class: highway, normal, local, or private.',
    layersOf: () => "kind = 'roads'",
    properties: classed.extend({ name: z.string().nullable() }),
    propertiesOf: ({ class: kind, name }) => ({ class: kind, name }),
  }),
  wetlands: layerItems({
    title: 'Wetlands',
    description: 'Areas of wetlands by class.',
    layersOf: () => "kind = 'wetlands'",
    properties: classed,
    propertiesOf: ({ class: kind }) => ({ class: kind }),
  }),
  flood: layerItems({
    title: 'Flood zones',
    description: "FEMA's special flood hazard areas by class.",
    layersOf: () => "kind = 'flood'",
    properties: classed,
    propertiesOf: ({ class: kind }) => ({ class: kind }),
  }),
};

const PREFIX = 'overlay.';

function overlayItems({ name, label, numbers }: Overlay): Collection {
  const columns = Object.fromEntries(
    numbers.map(number => [
      number.name,
      z
        .number()
        .nullable()
        .describe(number.unit === null ? number.label : `${number.label}, in ${number.unit}`),
    ]),
  );
  return layerItems({
    title: label,
    description: `Features of the overlay ${name} by class.`,
    layersOf: bind => `kind = 'overlay' and overlays @> ${bind(JSON.stringify([{ name }]))}::jsonb`,
    featuresOf: bind => `jsonb_exists(l.overlays, ${bind(name)}::text)`,
    properties: z.object({ class: z.string().nullable(), name: z.string().nullable(), ...columns }),
    propertiesOf: row => ({
      class: row.overlays?.[name] ?? null,
      name: row.name,
      ...Object.fromEntries(numbers.map(number => [number.name, row.overlays?.[number.name] ?? null])),
    }),
  });
}

/** All collections by name, with one for each overlay that is loaded. */
export async function readCollections(db: Db): Promise<Collections> {
  const overlays = await listOverlays(db);
  return {
    ...FIXED,
    ...Object.fromEntries(overlays.map(overlay => [PREFIX + overlay.name, overlayItems(overlay)])),
  };
}

export async function findCollection(db: Db, name: string): Promise<Collection | undefined> {
  const collections = name.startsWith(PREFIX) ? await readCollections(db) : FIXED;
  return Object.hasOwn(collections, name) ? collections[name] : undefined;
}
