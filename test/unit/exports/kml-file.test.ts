import { expect, test } from 'vitest';
import type { ExportColumn } from '../../../shared/exports/export-columns.ts';
import { openKml } from '../../../workers/exports/kml-file.ts';

const COLUMNS: ExportColumn[] = [
  { name: 'property_id', type: 'integer' },
  { name: 'apn', type: 'text' },
  { name: 'vacant', type: 'boolean' },
  { name: 'last_sale_date', type: 'date' },
  { name: 'year_built', type: 'year' },
  { name: 'overlay.a<b', type: 'number' },
  { name: 'sources', type: 'text' },
];
const rowOf = (id: string, cells: string[]) => ({ id, cells, place: null });

const attributes = (text: string, element: string) =>
  [...text.matchAll(new RegExp(`<${element} ([^>]*?)/?>`, 'g'))].map(([, found]) => found);
const values = (text: string) =>
  [...text.matchAll(/<Placemark.*<\/Placemark>/g)].map(([placemark]) =>
    Object.fromEntries(
      [...placemark.matchAll(/<SimpleData name="([^"]*)">([^<]*)</g)].map(([, name, value]) => [name, value]),
    ),
  );

test('fields have the types of the schema, even without a value', () => {
  const kml = openKml(COLUMNS);
  const rows = [
    rowOf('3301900000001', ['3301900000001', 'R & D <1>', 't', '2024-02-29', '1999', '', 'Roll']),
    rowOf('3301900000002', ['3301900000002', '', 'f', '', '', '', 'Roll']),
  ];
  const text = Buffer.concat([kml.write(rows), ...kml.end()]).toString();
  expect(attributes(text, 'SimpleField')).toEqual([
    'name="property_id" type="double"',
    'name="apn" type="string"',
    'name="vacant" type="bool"',
    'name="last_sale_date" type="string"',
    'name="year_built" type="int"',
    'name="overlay.a&lt;b" type="double"',
    'name="sources" type="string"',
  ]);
  const [schema] = attributes(text, 'Schema');
  expect(schema).toContain('id="fields"');
  expect(new Set(attributes(text, 'SchemaData'))).toEqual(new Set(['schemaUrl="#fields"']));
  expect(values(text)).toEqual([
    {
      property_id: '3301900000001',
      apn: 'R &amp; D &lt;1&gt;',
      vacant: '1',
      last_sale_date: '2024-02-29',
      year_built: '1999',
      sources: 'Roll',
    },
    { property_id: '3301900000002', vacant: '0', sources: 'Roll' },
  ]);
});

test('a file without rows has the schema', () => {
  const text = Buffer.concat([...openKml(COLUMNS).end()]).toString();
  expect(attributes(text, 'SimpleField')).toHaveLength(COLUMNS.length);
  expect(text).toMatch(/^<\?xml .*<\/Document><\/kml>\n$/s);
});
