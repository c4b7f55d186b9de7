import type { ExpressionSpecification, LayerSpecification } from 'maplibre-gl';
import { colorOf } from './css-colors.ts';

export const ofParcels = (layer: string) => ({ source: 'parcels', 'source-layer': layer });

export const grows = (from: number, thin: number, thick: number): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['zoom'],
  from,
  thin,
  17,
  thick,
];

const label = colorOf('map-label');
const waterInk = colorOf('map-water-ink');
const halo = colorOf('map-halo');

const text = (field: ExpressionSpecification, size: number) => ({
  'text-field': field,
  'text-size': size,
  'text-font': ['sans-serif'],
});
const letters = (color: string) => ({
  'text-color': color,
  'text-halo-color': halo,
  'text-halo-width': 1.5,
});

type Names = {
  /** The layer in the base tiles. `group` limits it to names in one group. */
  of: string;
  group?: string;
  size: number;
  color?: string;
  spacing?: boolean;
  minzoom: number;
  maxzoom?: number;
};

/** The names on the map and their zoom levels. When names collide, later ones win. */
const NAMES: readonly Names[] = [
  { of: 'names', group: 'land', size: 11, minzoom: 12.5 },
  { of: 'names', group: 'town', size: 12, minzoom: 12 },
  { of: 'names', group: 'water', size: 11, color: waterInk, minzoom: 9 },
  { of: 'towns', size: 14, minzoom: 9, maxzoom: 16 },
  { of: 'counties', size: 11, spacing: true, minzoom: 6.5, maxzoom: 11 },
  { of: 'states', size: 12, spacing: true, minzoom: 2, maxzoom: 6.5 },
];

const namesLayer = ({ of, group, size, color = label, spacing, ...zooms }: Names): LayerSpecification => ({
  ...zooms,
  id: `names-${group ?? of}`,
  type: 'symbol',
  source: 'base',
  'source-layer': of,
  ...(group !== undefined && { filter: ['==', ['get', 'group'], group] as ExpressionSpecification }),
  layout: {
    ...text(['get', 'name'], size),
    'symbol-sort-key': ['-', ['coalesce', ['get', 'size'], 0]],
    'text-padding': 6,
    'text-max-width': 7,
    ...(spacing && { 'text-letter-spacing': 0.14, 'text-transform': 'uppercase' as const }),
  },
  paint: letters(color),
});

/** Road names, written along the road. */
const roadNames = (id: string, classes: readonly string[], minzoom: number): LayerSpecification => ({
  id,
  type: 'symbol',
  source: 'base',
  'source-layer': 'roads',
  minzoom,
  filter: ['in', ['get', 'class'], ['literal', classes]],
  layout: {
    ...text(['coalesce', ['get', 'name'], ''], 11),
    'symbol-placement': 'line',
    'symbol-spacing': 320,
    'text-padding': 4,
    'text-max-angle': 35,
  },
  paint: letters(label),
});

/** All text on the map. When two labels collide, the later layer wins. */
export const wordLayers = (): LayerSpecification[] => [
  {
    id: 'parcel-names',
    type: 'symbol',
    ...ofParcels('names'),
    minzoom: 16,
    layout: text(['get', 'apn'], 11),
    paint: letters(label),
  },
  roadNames('road-names-private', ['private'], 13.5),
  roadNames('road-names-local', ['local'], 11),
  roadNames('road-names', ['highway', 'normal'], 11),
  ...NAMES.map(namesLayer),
  {
    id: 'zip-codes',
    type: 'symbol',
    source: 'zips',
    'source-layer': 'codes',
    paint: letters(colorOf('zip')),
    layout: { visibility: 'none', ...text(['get', 'zip'], 12) },
  },
  {
    id: 'counts',
    type: 'symbol',
    ...ofParcels('counts'),
    paint: letters(label),
    layout: text(
      ['concat', ['get', 'name'], '\n', ['number-format', ['get', 'parcels'], {}], ' parcels'],
      12,
    ),
  },
];
