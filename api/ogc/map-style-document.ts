import type { TileJson } from './tile-documents.ts';

/** The light colors of the app's map (tokens.css). */
const COLORS = { ground: '#f0eee6', parcel: '#f7f6f0', edge: '#a39d8c' };

const parcels = (id: string, type: string, geometry: 'Polygon' | 'Point', paint: object) => ({
  id,
  type,
  source: 'parcels',
  'source-layer': 'parcels',
  // QGIS reads only the older form of filters.
  filter: ['==', '$type', geometry],
  paint,
});

/** Without parcel numbers, because text would need fonts from a server. */
export const mapStyle = ({ tiles, minzoom, maxzoom, bounds, attribution }: TileJson): object => ({
  version: 8,
  name: 'Plat parcels',
  center: [(bounds[0] + bounds[2]) / 2, (bounds[1] + bounds[3]) / 2],
  zoom: minzoom + 1,
  sources: { parcels: { type: 'vector', tiles, minzoom, maxzoom, bounds, attribution } },
  layers: [
    { id: 'background', type: 'background', paint: { 'background-color': COLORS.ground } },
    parcels('parcels', 'fill', 'Polygon', { 'fill-color': COLORS.parcel }),
    parcels('parcel-lines', 'line', 'Polygon', {
      'line-color': COLORS.edge,
      'line-width': {
        stops: [
          [12, 0.4],
          [18, 1.6],
        ],
      },
    }),
    parcels('parcel-points', 'circle', 'Point', { 'circle-color': COLORS.edge, 'circle-radius': 1.5 }),
  ],
});
