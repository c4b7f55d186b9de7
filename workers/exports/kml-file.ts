import { escapeXml } from '../../shared/drawing/xml.ts';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { decodeBoundary } from '../../shared/geo/geometry-codec.ts';
import type { Polygon, Position } from '../../shared/geo/geometry-types.ts';
import type { FileRow, FileWriter, Place } from './file-writer.ts';

const HEAD = `<?xml version="1.0" encoding="UTF-8"?>
<kml xmlns="http://www.opengis.net/kml/2.2"><Document><name>Parcels</name>
<Style id="parcel"><LineStyle><color>ffff9933</color><width>2</width></LineStyle><PolyStyle><color>33ff9933</color></PolyStyle></Style>
`;

/**
 * The types that KML has for fields. It has none for dates, and its integers have only 32 bits. Booleans are
 * 1 and 0, because GDAL reads the word `true` as 0.
 */
const KML_TYPES: Record<ExportColumn['type'], string> = {
  text: 'string',
  state: 'string',
  zip: 'string',
  date: 'string',
  year: 'int',
  integer: 'double',
  money: 'double',
  number: 'double',
  boolean: 'bool',
};

function schemaOf(columns: readonly ExportColumn[]): string {
  const fields = columns.map(
    ({ name, type }) => `<SimpleField name="${escapeXml(name)}" type="${KML_TYPES[type]}"/>`,
  );
  return `<Schema id="fields" name="fields">${fields.join('')}</Schema>\n`;
}

/** OGC KML 2.2 for Google Earth: one placemark per parcel, named by its number. */
export function openKml(columns: readonly ExportColumn[]): FileWriter {
  const named = columns.findIndex(({ name }) => name === 'apn');
  const tags = columns.map(({ name }) => `<SimpleData name="${escapeXml(name)}">`);
  let head = HEAD + schemaOf(columns);
  const placemark = ({ id, cells, place }: FileRow): string => {
    let data = '';
    for (const [i, { type }] of columns.entries()) {
      const cell = cells[i]!;
      if (cell === '') continue;
      const text = type === 'boolean' ? (cell === 't' ? '1' : '0') : escapeXml(cell);
      data += `${tags[i]}${text}</SimpleData>`;
    }
    const name = escapeXml(cells[named] || id);
    return `<Placemark id="p${id}"><name>${name}</name><styleUrl>#parcel</styleUrl><ExtendedData><SchemaData schemaUrl="#fields">${data}</SchemaData></ExtendedData>${shapeOf(place)}</Placemark>\n`;
  };
  const write = (rows: readonly FileRow[]): Uint8Array => {
    const text = head + rows.map(placemark).join('');
    head = '';
    return Buffer.from(text);
  };
  return {
    write,
    end: () => [write([]), Buffer.from('</Document></kml>\n')],
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
