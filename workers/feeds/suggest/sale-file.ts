import { columnsOfPart } from '../column-schema.ts';
import { sourceColumns } from '../feed-columns.ts';
import { PRESETS, type PresetName } from '../feed-schema.ts';
import { readPreset } from '../resolve-feed.ts';

/**
 * The preset of a file of sales that has these columns: all by which it knows parcel, day, price and the
 * sales that count. Undefined for rolls and other files.
 */
export function salePresetOf(names: readonly string[]): PresetName | undefined {
  const there = new Set(names.map(name => name.toUpperCase()));
  return PRESETS.find(name => {
    const { kind, key, columns, sales } = readPreset(name);
    if (kind !== 'listings' || sales === undefined || key === undefined) return false;
    const parts = typeof key === 'string' ? [key] : key.columns.flatMap(columnsOfPart);
    const read = [columns.sold_date, columns.sold_price].flatMap(column =>
      column === undefined ? [] : typeof column === 'string' ? [column] : sourceColumns(column),
    );
    const tested = (sales.where ?? []).map(({ column }) => column);
    return [...parts, ...read, ...tested].every(column => there.has(column.toUpperCase()));
  });
}
