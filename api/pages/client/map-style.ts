import type { ExpressionSpecification, LayerSpecification, StyleSpecification } from 'maplibre-gl';

const dark = matchMedia('(prefers-color-scheme: dark)').matches;
const ink = dark
  ? {
      ground: '#1b201d',
      land: '#29332e',
      parcel: '#8fbf9f',
      line: '#5d7a68',
      text: '#e6ece8',
      halo: '#1b201d',
      road: '#c9b98a',
      county: '#4a5650',
      zip: '#c9a6e8',
    }
  : {
      ground: '#f4f2ec',
      land: '#dfe4da',
      parcel: '#3f7d57',
      line: '#7fa48d',
      text: '#1e2a23',
      halo: '#ffffff',
      road: '#b08d4a',
      county: '#b9bfb6',
      zip: '#6a3d9a',
    };
const MARK = '#d9480f';
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
const grows = (from: number, thin: number, thick: number): ExpressionSpecification => [
  'interpolate',
  ['linear'],
  ['zoom'],
  from,
  thin,
  17,
  thick,
];
const label = (field: ExpressionSpecification, size: number) => ({
  'text-field': field,
  'text-size': size,
  'text-font': ['sans-serif'],
});
const letters = (color: string, halo = 1.5) => ({
  'text-color': color,
  'text-halo-color': ink.halo,
  'text-halo-width': halo,
});

function layersOf({ parcel, basemap }: DOMStringMap): LayerSpecification[] {
  const land = (id: string, spec: { type: string; paint: object }, visible = false) =>
    ({
      ...spec,
      id,
      source: id,
      'source-layer': id,
      layout: { visibility: visible ? 'visible' : 'none' },
    }) as LayerSpecification;
  return [
    { id: 'ground', type: 'background', paint: { 'background-color': ink.ground } },
    {
      id: 'parcel-fill',
      type: 'fill',
      ...ofParcels('parcels'),
      filter: POLYGONS,
      // Flats of one house lie on top of each other: see-through they would add up.
      paint: { 'fill-color': ink.land, 'fill-opacity': basemap === undefined ? 1 : 0.05 },
    },
    {
      id: 'hillshade',
      type: 'raster',
      source: 'hillshade',
      layout: { visibility: 'none' },
      paint: { 'raster-opacity': 0.6 },
    },
    land('wetlands', { type: 'fill', paint: { 'fill-color': '#3d8f8f', 'fill-opacity': 0.35 } }),
    land('flood', { type: 'fill', paint: { 'fill-color': '#3b6fd4', 'fill-opacity': 0.3 } }),
    {
      id: 'county-lines',
      type: 'line',
      ...ofParcels('counties'),
      paint: { 'line-color': ink.county, 'line-width': 1.2 },
    },
    {
      id: 'parcel-lines',
      type: 'line',
      ...ofParcels('parcels'),
      filter: POLYGONS,
      paint: { 'line-color': ink.line, 'line-width': grows(12, 0.4, 1.6) },
    },
    {
      id: 'parcel-points',
      type: 'circle',
      ...ofParcels('parcels'),
      filter: ['==', ['geometry-type'], 'Point'],
      paint: { 'circle-color': ink.parcel, 'circle-radius': 2 },
    },
    land('roads', { type: 'line', paint: { 'line-color': ink.road, 'line-width': grows(11, 0.5, 3) } }, true),
    {
      id: 'open-line',
      type: 'line',
      ...ofParcels('parcels'),
      filter: isOpen(parcel),
      paint: { 'line-color': MARK, 'line-width': 3 },
    },
    {
      id: 'hits',
      type: 'circle',
      source: 'hits',
      paint: {
        'circle-color': MARK,
        'circle-radius': 4,
        'circle-stroke-color': ink.halo,
        'circle-stroke-width': 1,
      },
    },
    {
      id: 'area',
      type: 'line',
      source: 'area',
      paint: { 'line-color': MARK, 'line-width': 2, 'line-dasharray': [2, 1] },
    },
    {
      id: 'counts',
      type: 'symbol',
      ...ofParcels('counts'),
      paint: letters(ink.text),
      layout: label(
        ['concat', ['get', 'name'], '\n', ['number-format', ['get', 'parcels'], {}], ' parcels'],
        12,
      ),
    },
    {
      id: 'parcel-names',
      type: 'symbol',
      ...ofParcels('names'),
      minzoom: 16,
      layout: label(['get', 'apn'], 11),
      paint: letters(ink.text, 1.2),
    },
    land('zips', { type: 'line', paint: { 'line-color': ink.zip, 'line-width': 1.5 } }),
    {
      id: 'zip-codes',
      type: 'symbol',
      source: 'zips',
      'source-layer': 'codes',
      paint: letters(ink.zip),
      layout: { visibility: 'none', ...label(['get', 'zip'], 12) },
    },
  ];
}

export function styleOf(shown: DOMStringMap): StyleSpecification {
  const { basemap, attribution } = shown;
  const layers = layersOf(shown);
  const sources: StyleSpecification['sources'] = {
    parcels: tiles('parcels', 0, 16),
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
    hits: { type: 'geojson', data: EMPTY },
    area: { type: 'geojson', data: EMPTY },
  };
  if (basemap !== undefined) {
    sources.basemap = {
      type: 'raster',
      tiles: [basemap],
      tileSize: 256,
      attribution: attribution ?? '',
    };
    layers.splice(1, 0, { id: 'basemap', type: 'raster', source: 'basemap' });
  }
  return { version: 8, sources, layers };
}
