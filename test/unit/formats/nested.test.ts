import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { UploadFormat } from '../../../shared/feeds/file-feeds.ts';
import { suggestFeed } from '../../../workers/setup/check-suggestion.ts';
import { lots, read as readLayer, withLayer } from '../../support/arcgis.ts';
import { testFolder } from '../../support/folder.ts';
import { feature } from './make.ts';
import { read as readReso, withServer } from './reso-server.ts';

/** JSON nested deeper than a stack is one unusable row, of every source that is JSON. */

const folder = testFolder();
const DEEP = 100_000;
const ARRAYS = '['.repeat(DEEP) + ']'.repeat(DEEP);
const OBJECTS = `${'{"a":'.repeat(DEEP)}1${'}'.repeat(DEEP)}`;

const lot = (i: number) => feature(`12-${1000 + 7 * i}`, { PARCEL_ID: `12-${i}`, OWNER: `DOE JOHN ${i}` });
const LOTS = Array.from({ length: 30 }, (_, i) => JSON.stringify(lot(i)));
const RECORDS = Array.from({ length: 30 }, (_, i) => JSON.stringify({ PARCEL_ID: `12-${i}`, ACRES: i + 1 }));
const collection = (texts: string[]) => `{"type":"FeatureCollection","features":[${texts.join(',')}]}`;
const inValues = (nested: string) =>
  `{"type":"Feature","properties":{"PARCEL_ID":${nested}},"geometry":null}`;
const inShape = (nested: string) =>
  `{"type":"Feature","properties":{},"geometry":{"type":"Polygon","coordinates":${nested}}}`;

function suggest(name: string, text: string, format: UploadFormat, crs?: string) {
  writeFileSync(join(folder, name), text);
  return suggestFeed({
    input: { source: name, format, ...(crs && { crs }) } as Parameters<typeof suggestFeed>[0]['input'],
    baseDir: folder,
    file: join(folder, 'a.yaml'),
    rows: 500,
    head: { name: 'a', fips: '55025' },
  });
}

describe.each([ARRAYS, OBJECTS])('a file', nested => {
  test.each<[UploadFormat, string[], string, (texts: string[]) => string, string?]>([
    ['geojson', LOTS, inValues(nested), collection],
    ['geojson', LOTS, inShape(nested), collection],
    ['geojson', LOTS, inShape(nested), collection, 'EPSG:26919'],
    ['ndgeojson', LOTS, inShape(nested), texts => texts.join('\n')],
    ['ndjson', RECORDS, `{"PARCEL_ID":${nested}}`, texts => texts.join('\n')],
  ])('%s', async (format, rows, deep, whole, crs) => {
    const found = await suggest(`a.${format}`, whole([...rows.slice(1), deep]), format, crs);
    expect([found.rows, found.suggestions?.key?.columns]).toEqual([29, ['PARCEL_ID']]);
    const alone = suggest(`b.${format}`, whole([deep]), format, crs);
    const message = expect.not.stringContaining('stack');
    await expect(alone).rejects.toMatchObject({ code: 'feed_format', message });
  });
});

test.each([ARRAYS, OBJECTS])('a layer of an ArcGIS server', async nested => {
  const features = lots(20);
  for (const [format, deep] of [
    ['geojson', inShape(nested).replace('"properties":{}', '"properties":{"OBJECTID":2}')],
    ['geojson', `{"type":"Feature","properties":{"OBJECTID":2,"PIN":${nested}},"geometry":null}`],
    ['json', `{"attributes":{"OBJECTID":2},"geometry":{"rings":[${nested}]}}`],
  ] as const) {
    const page = (asked: number[]) =>
      asked.map(id => (id === 2 ? deep : JSON.stringify(features[id - 1]))).join(',');
    const fault = (query: URLSearchParams, _count: number, asked: number[]) =>
      asked.includes(2) && query.get('outFields') === '*' && query.get('f') === format
        ? {
            body: `{"objectIdFieldName":"OBJECTID","spatialReference":{"wkid":4326},"features":[${page(asked)}]}`,
          }
        : undefined;
    const metadata = { supportedQueryFormats: format === 'json' ? 'JSON' : 'JSON, geoJSON' };
    await withLayer({ features, fault, metadata }, async server => {
      const { bad, pins, error } = await readLayer(server.source, { page_size: 10 });
      expect([format, error, pins.length]).toEqual([format, null, 19]);
      expect(bad.map(({ reason, raw }) => [reason, raw])).toEqual([['unreadable_row', '{"OBJECTID":2}']]);
    });
  }
});

test('a record of a RESO server that is a list', async () => {
  await withServer(
    (_, response) => response.end(`{"value":[{"ListingKey":"L1"},${ARRAYS}]}`),
    async spec => {
      const { keys, batches, error } = await readReso(spec);
      expect([error, keys, batches[0]!.bad.map(({ reason }) => reason)]).toEqual([
        null,
        ['L1'],
        ['unreadable_row'],
      ]);
    },
  );
});
