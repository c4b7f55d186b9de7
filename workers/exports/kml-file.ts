import { escapeXml } from '../../shared/drawing/xml.ts';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Polygon, Position } from '../../shared/geo/geometry-types.ts';
import type { FileRow, FileWriter, Place } from './file-writer.ts';

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Parcels</name>
<Style id="parcel"><LineStyle><color>ffff9933</color><width>2</width></LineStyle><PolyStyle><color>33ff9933</color></PolyStyle></Style>
`;

/** OGC KML 2.2 for Google Earth: one placemark per parcel, named by its number. */
export function openKml(columns: readonly ExportColumn[]): FileWriter {
  const named = columns.findIndex(({ name }) => name === 'apn');
  let head = HEAD;
  const placemark = ({ id, cells, place }: FileRow): string => {
    const data = columns
      .map(({ name, type }, i) => {
        const cell = cells[i]!;
        if (cell === '') return '';
        const text = type === 'boolean' ? (cell === 't' ? 'yes' : 'no') : cell;
        return `<Data name="${name}"><value>${escapeXml(text)}</value></Data>`;
      })
      .join('');
    const name = escapeXml(cells[named] || id);
    return `<Placemark id="p${id}"><name>${name}</name><styleUrl>#parcel</styleUrl><ExtendedData>${data}</ExtendedData>${shapeOf(place)}</Placemark>\n`;
  };
  const write = (rows: readonly FileRow[]): Uint8Array => {
    const text = head + rows.map(placemark).join('');
    head = '';
    return Buffer.from(text);
  };
  return {
    write,
    end: () => Buffer.concat([write([]), Buffer.from('</Document></kml>\n')]),
  };
}

const positions = (ring: readonly Position[]): string =>
  `<coordinates>${ring.map(([x, y]) => `${x},${y}`).join(' ')}</coordinates>`;

function polygonOf([outer, ...holes]: Polygon): string {
  const inner = holes.map(
    ring => `<innerBoundaryIs><LinearRing>${positions(ring)}</LinearRing></innerBoundaryIs>`,
  );
  return `<Polygon><outerBoundaryIs><LinearRing>${positions(outer!)}</LinearRing></outerBoundaryIs>${inner.join('')}</Polygon>`;
}

function shapeOf(place: Place): string {
  if (place === null) return '';
  if ('point' in place) return `<Point>${positions([place.point])}</Point>`;
  const polygons = decodeBoundary(place.encoded).map(polygonOf);
  return polygons.length === 1 ? polygons[0]! : `<MultiGeometry>${polygons.join('')}</MultiGeometry>`;
}
