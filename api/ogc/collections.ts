import { z } from 'zod';
import type { Collection } from './collection-parts.ts';
import { compItems } from './comp-items.ts';
import { countyItems } from './county-items.ts';
import { layerItems } from './layer-items.ts';
import { parcelItems } from './parcel-items.ts';

export const COLLECTIONS: Readonly<Record<string, Collection>> = {
  parcels: parcelItems,
  comps: compItems,
  counties: countyItems,
  zips: layerItems({
    kind: 'zips',
    title: 'ZIP codes',
    description: 'Areas of ZIP codes, as loaded by the operator.',
    geometry: 'areas',
    properties: z.object({ zip: z.string() }),
    propertiesOf: ({ class: zip }) => ({ zip }),
  }),
  roads: layerItems({
    kind: 'roads',
    title: 'Roads',
    description: 'Centerlines of roads by class: highway, normal, local, or private.',
    geometry: 'lines',
    properties: z.object({ class: z.string(), name: z.string().nullable() }),
    propertiesOf: ({ class: kind, name }) => ({ class: kind, name }),
  }),
  wetlands: layerItems({
    kind: 'wetlands',
    title: 'Wetlands',
    description: 'Areas of wetlands by class.',
    geometry: 'areas',
    properties: z.object({ class: z.string() }),
    propertiesOf: ({ class: kind }) => ({ class: kind }),
  }),
  flood: layerItems({
    kind: 'flood',
    title: 'Flood zones',
    description: "FEMA's special flood hazard areas by class.",
    geometry: 'areas',
    properties: z.object({ class: z.string() }),
    propertiesOf: ({ class: kind }) => ({ class: kind }),
  }),
};
