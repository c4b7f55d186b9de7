import type { ExportColumn } from '../../shared/exports/export-columns.ts';
import { type FileRow, type FileWriter, isNumber, toGeometry } from './file-writer.ts';

/** One feature per line (RFC 7946, and RFC 8142 without its separator), for QGIS, ogr2ogr, and tippecanoe. */
export function openGeoJsonLines(columns: readonly ExportColumn[]): FileWriter {
  const heads = columns.map(({ name }, i) => `${i === 0 ? '' : ','}${JSON.stringify(name)}:`);
  const writeValue = columns.map(column => {
    if (isNumber(column)) return (cell: string) => cell;
    return column.type === 'boolean' ? (cell: string) => (cell === 't' ? 'true' : 'false') : JSON.stringify;
  });
  const line = ({ id, cells, place }: FileRow): string => {
    let properties = '';
    for (let i = 0; i < cells.length; i++)
      properties += heads[i]! + (cells[i] === '' ? 'null' : writeValue[i]!(cells[i]!));
    const geometry = JSON.stringify(toGeometry(place));
    const name = /^\d+$/.test(id) ? id : JSON.stringify(id);
    return `{"type":"Feature","id":${name},"geometry":${geometry},"properties":{${properties}}}\n`;
  };
  return {
    write: rows => Buffer.from(rows.map(line).join('')),
    end: () => [],
  };
}
