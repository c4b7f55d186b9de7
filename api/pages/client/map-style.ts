import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';

/** The style sheet's variable as a color that the map can read; light or dark as the page is. */
export function colorOf(variable: string): string {
  document.body.style.color = `var(--${variable})`;
  const { color } = getComputedStyle(document.body);
  document.body.style.removeProperty('color');
  return color;
}

const ground = colorOf('map-ground');
const label = colorOf('map-label');
const halo = colorOf('map-halo');
const hit = colorOf('hit');
/** It lies on hits, too. */
const drawn = colorOf('ink');
const parcel = colorOf('map-parcel');
const zip = colorOf('zip');
export const EMPTY = { type: 'FeatureCollection' as const, features: [] };

const origin = location.origin;
const tiles = (layer: string, from: number, to: number) => ({
  type: 'vector' as const,
  tiles: [`${origin}/tiles/${layer}/{z}/{x}/{y}.mvt`],
  minzoom: from,
  maxzoom: to,
});

export const isOpen = (id: string | undefined): ExpressionSpecification => ['==', ['id'], Number(id ?? 0)];

/** Of the tiles of parcels. */
const ofParcels = (layer: string) => ({ source: 'parcels', 'source-layer': layer });
const POLYGONS: ExpressionSpecification = ['==', ['geometry-type'], 'Polygon'];
const POINTS: ExpressionSpecification = ['==', ['geometry-type'], 'Point'];
const IS_HIT: ExpressionSpecification = ['==', ['get', 'hit'], 1];

/** Parameters of the page that mark no other parcels. */
const NO_SEARCH = ['parcel', 'at', 'page', 'page_size', 'order', 'view', 'map'];

/**
 * Parcels and the hits among them. Flats of one house lie on each other: see-through they would add up.
 */
export const fillOf = (color: string | ExpressionSpecification, isOverImages: boolean) => ({
  'fill-color': ['case', IS_HIT, color, parcel] as ExpressionSpecification,
  'fill-opacity': isOverImages ? (['case', IS_HIT, 0.6, 0.05] as ExpressionSpecification) : 1,
});

/** What the legend says of the colors of hits: `[from, variable]` of each class. */
export function hitColor(classes: string | undefined): string | ExpressionSpecification {
  const [first, ...rest] = JSON.parse(classes ?? '[]') as [number | null, string][];
  if (first === undefined) return hit;
  const known = [
    'step',
    ['get', 'figure'],
    colorOf(first[1]),
    ...rest.flatMap(([from, name]) => [from, colorOf(name)]),
  ];
  const byFigure = rest.length === 0 ? colorOf(first[1]) : known;
  return ['case', ['has', 'figure'], byFigure, colorOf('none-soft')] as ExpressionSpecification;
}

/** The address of the parcels' tiles, with the hits of the page's search marked. */
export function parcelTiles(): string[] {
  const search = new URLSearchParams(location.pathname === '/data' ? location.search : '');
  for (const name of NO_SEARCH) search.delete(name);
  return [`${origin}/tiles/parcels/{z}/{x}/{y}.mvt${search.size === 0 ? '' : `?${search}`}`];
}
const grows = (from: number, thin: number, thick: number): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['zoom'],
  from,
  thin,
  17,
  thick,
];
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

/** Names on the map: of what, from which zoom on and up to which. */
const NAMES = [
  { of: 'towns', size: 14, color: 'map-label', spacing: false, minzoom: 9, maxzoom: 16 },
  { of: 'counties', size: 11, color: 'map-label', spacing: true, minzoom: 6.5, maxzoom: 11 },
  { of: 'states', size: 12, color: 'map-label', spacing: true, minzoom: 2, maxzoom: 6.5 },
];

function layersOf({ parcel: opened, basemap }: DOMStringMap): LayerSpecification[] {
  const land = (id: string, spec: { type: string; paint: object }, visible = false) =>
    ({
      ...spec,
      id,
      source: id,
      'source-layer': id,
      layout: { visibility: visible ? 'visible' : 'none' },
    }) as LayerSpecification;
  return [
    { id: 'water', type: 'background', paint: { 'background-color': colorOf('map-water') } },
    ...(['fill', 'line'] as const).map(
      type =>
        ({
          id: `abroad-${type}`,
          type,
          source: 'places',
          'source-layer': 'abroad',
          // The line closes the gap between two outlines of a border.
          paint: type === 'fill' ? { 'fill-color': ground } : { 'line-color': ground, 'line-width': 6 },
        }) as LayerSpecification,
    ),
    {
      id: 'ground',
      type: 'fill',
      ...ofParcels('counties'),
      paint: { 'fill-color': ground, 'fill-antialias': false },
    },
    {
      id: 'parcel-fill',
      type: 'fill',
      ...ofParcels('parcels'),
      filter: POLYGONS,
      // Flats of one house lie on top of each other: see-through they would add up.
      paint: fillOf(hit, basemap !== undefined),
    },
    {
      id: 'hillshade',
      type: 'raster',
      source: 'hillshade',
      layout: { visibility: 'none' },
      paint: { 'raster-opacity': 0.6 },
    },
    land('wetlands', { type: 'fill', paint: { 'fill-color': colorOf('wet'), 'fill-opacity': 0.35 } }),
    land('flood', { type: 'fill', paint: { 'fill-color': colorOf('flood'), 'fill-opacity': 0.3 } }),
    {
      id: 'county-lines',
      type: 'line',
      ...ofParcels('counties'),
      paint: { 'line-color': colorOf('map-county'), 'line-width': 1.2 },
    },
    {
      id: 'parcel-lines',
      type: 'line',
      ...ofParcels('parcels'),
      filter: POLYGONS,
      paint: {
        'line-color': ['case', IS_HIT, colorOf('hit-edge'), colorOf('map-edge')],
        'line-width': grows(12, 0.4, 1.6),
      },
    },
    {
      id: 'parcel-points',
      type: 'circle',
      ...ofParcels('parcels'),
      filter: ['all', POINTS, ['!', IS_HIT]],
      paint: { 'circle-color': colorOf('map-edge'), 'circle-radius': grows(11, 1.2, 2) },
    },
    {
      id: 'hits',
      type: 'circle',
      ...ofParcels('parcels'),
      filter: ['all', POINTS, IS_HIT],
      paint: {
        'circle-color': hit,
        'circle-radius': grows(7, 2, 5),
        'circle-stroke-color': colorOf('hit-edge'),
        'circle-stroke-width': 0.7,
      },
    },
    land(
      'roads',
      { type: 'line', paint: { 'line-color': colorOf('map-road'), 'line-width': grows(11, 0.5, 3) } },
      true,
    ),
    {
      id: 'open-line',
      type: 'line',
      ...ofParcels('parcels'),
      filter: isOpen(opened),
      paint: { 'line-color': colorOf('pick'), 'line-width': 3 },
    },
    {
      id: 'area',
      type: 'line',
      source: 'area',
      paint: { 'line-color': drawn, 'line-width': 2, 'line-dasharray': [2, 1] },
    },
    {
      id: 'area-points',
      type: 'circle',
      source: 'area',
      filter: POINTS,
      paint: {
        'circle-color': halo,
        'circle-radius': 4,
        'circle-stroke-color': drawn,
        'circle-stroke-width': 2,
      },
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
    ...NAMES.map(
      ({ of, size, color, spacing, ...zooms }): LayerSpecification => ({
        ...zooms,
        id: `names-${of}`,
        type: 'symbol',
        source: 'places',
        'source-layer': of,
        layout: {
          ...text(['get', 'name'], size),
          'symbol-sort-key': ['-', ['coalesce', ['get', 'size'], 0]],
          'text-padding': 6,
          ...(spacing && { 'text-letter-spacing': 0.14, 'text-transform': 'uppercase' as const }),
        },
        paint: letters(colorOf(color)),
      }),
    ),
    {
      id: 'parcel-names',
      type: 'symbol',
      ...ofParcels('names'),
      minzoom: 16,
      layout: text(['get', 'apn'], 11),
      paint: letters(label),
    },
    land('zips', { type: 'line', paint: { 'line-color': zip, 'line-width': 1.5 } }),
    {
      id: 'zip-codes',
      type: 'symbol',
      source: 'zips',
      'source-layer': 'codes',
      paint: letters(zip),
      layout: { visibility: 'none', ...text(['get', 'zip'], 12) },
    },
  ];
}

export function styleOf(shown: DOMStringMap): StyleSpecification {
  const { basemap, attribution } = shown;
  const layers = layersOf(shown);
  const sources: StyleSpecification['sources'] = {
    parcels: { ...tiles('parcels', 0, 16), tiles: parcelTiles() },
    places: tiles('places', 0, 14),
    roads: tiles('roads', 11, 15),
    zips: tiles('zips', 8, 12),
    wetlands: tiles('wetlands', 11, 15),
    flood: tiles('flood', 10, 15),
    hillshade: {
      type: 'raster',
      tiles: [`${origin}/tiles/hillshade/{z}/{x}/{y}.png`],
      tileSize: 256,
      minzoom: 9,
      maxzoom: 15,
    },
    area: { type: 'geojson', data: EMPTY },
  };
  if (basemap !== undefined) {
    sources.basemap = {
      type: 'raster',
      tiles: [basemap],
      tileSize: 256,
      attribution: attribution ?? '',
    };
    layers.splice(4, 0, { id: 'basemap', type: 'raster', source: 'basemap' });
  }
  return { version: 8, sources, layers };
}
