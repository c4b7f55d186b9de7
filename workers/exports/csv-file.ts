import { csvCell } from '../../shared/base/to-csv.ts';
import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import type { MultiPolygon } from '../../shared/geo/geometry-types.ts';
import { type FileRow, type FileWriter, isNumber } from './file-writer.ts';

/**
 * As the app's other tables: RFC 4180 with the mark by which Excel knows UTF-8, and texts that are no
 * formulas. A boundary is a column of WKT.
 */
export function openCsv(columns: readonly ExportColumn[], boundary: boolean): FileWriter {
  const names = columns.map(({ name }) => name);
  const writeCell = columns.map(column => {
    if (isNumber(column) || column.type === 'date') return (cell: string) => cell;
    if (column.type === 'boolean') return booleanOf;
    return csvCell;
  });
  let head = `\ufeff${[...names, ...(boundary ? ['boundary'] : [])].join(',')}\r\n`;

  const line = ({ cells, place }: FileRow): string => {
    let text = '';
    for (let i = 0; i < cells.length; i++)
      text += i === 0 ? writeCell[i]!(cells[i]!) : `,${writeCell[i]!(cells[i]!)}`;
    if (boundary) text += place !== null && 'boundary' in place ? `,"${toWkt(place.boundary)}"` : ',';
    return `${text}\r\n`;
  };
  const write = (rows: readonly FileRow[]): Uint8Array => {
    let text = head;
    head = '';
    for (const row of rows) text += line(row);
    return Buffer.from(text);
  };
  return { write, end: () => write([]) };
}

const booleanOf = (cell: string): string => (cell === '' ? '' : cell === 't' ? 'true' : 'false');

/** https://www.ogc.org/standard/sfa/, clause 7 */
export function toWkt(polygons: MultiPolygon): string {
  const parts = polygons.map(
    rings => `(${rings.map(ring => `(${ring.map(([x, y]) => `${x} ${y}`).join(', ')})`).join(', ')})`,
  );
  return parts.length === 1 ? `POLYGON ${parts[0]}` : `MULTIPOLYGON (${parts.join(', ')})`;
}
