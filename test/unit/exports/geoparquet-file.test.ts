import { expect, test } from 'vitest';
import type { ExportColumn } from '../../../shared/exports/export-columns.ts';
import { copyValue } from '../../../shared/platform/copy.ts';
import { openGeoParquet } from '../../../workers/exports/geoparquet-file.ts';

const COLUMNS: ExportColumn[] = [
  { name: 'owner_name', type: 'text' },
  { name: 'acres', type: 'number' },
  { name: 'market_total_value', type: 'money' },
  { name: 'vacant', type: 'boolean' },
  { name: 'last_sale_date', type: 'date' },
  { name: 'sources', type: 'text' },
];
const TEXTS = ['', 'Ellery, Felix', 'a\tb\nc\r\\d', 'Peña', 'Ñandú \u{1f332} S.A.', '\\', 'x'.repeat(5_000)];
const ROWS = TEXTS.map((text, i) => [
  text,
  ['-1.5', ''][i % 2]!,
  ['', '5000000000'][i % 2]!,
  ['t', 'f', ''][i % 3]!,
  ['2024-02-29', ''][i % 2]!,
]);

test.each(['Roll, "County of X"', ''])('lines of COPY become what their rows become: %j', credit => {
  const lines = ROWS.map(
    cells => `${['7', '-720000000', '430000000', '', ...cells.map(copyValue)].join('\t')}\n`,
  ).join('');
  const rows = ROWS.map(cells => ({
    id: '7',
    cells: [...cells, credit],
    place: { point: [-72, 43] as [number, number] },
  }));
  const asRows = openGeoParquet(COLUMNS, { boundary: false });
  const asLines = openGeoParquet(COLUMNS, { boundary: false });
  const joined = (...parts: Uint8Array[]) => Buffer.concat(parts).toString('hex');
  const two = [asRows.write(rows), asRows.write(rows), ...asRows.end()];
  const copied = Buffer.from(lines);
  expect(
    joined(asLines.writeCopied!(copied, credit), asLines.writeCopied!(copied, credit), ...asLines.end()),
  ).toBe(joined(...two));
});
