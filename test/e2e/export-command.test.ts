import { hash } from 'node:crypto';
import { readdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parquetMetadata, parquetReadObjects } from 'hyparquet';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../support/database.ts';
import { testFolder } from '../support/folder.ts';
import { commandsOn } from '../support/plat.ts';

const db = await createTestDatabase({}, { sample: true });
const { json, plat, refused } = commandsOn(db);
const folder = testFolder();

const bytesOf = async (name: string) => new Uint8Array(await readFile(join(folder, name))).buffer;

test('plat export writes what the API would, and nobody pays', async () => {
  const file = join(folder, 'owners.csv');
  const made = await json(
    'export',
    file,
    '--county',
    '33019',
    '--one-per-owner',
    '--columns',
    'apn,owner_parcels',
  );
  const lines = (await readFile(file, 'utf8')).trimEnd().split('\r\n');
  expect(lines[0]).toBe('\ufeffapn,owner_parcels,sources');
  expect(made).toMatchObject({ path: file, rows: lines.length - 1 });
  const filter = '{"county": "33019", "acres_min": 100}';
  const { rows } = await json('export', join(folder, 'large.geojsonl'), '--filter', filter, '--no-boundary');
  expect(await readFile(join(folder, 'large.geojsonl'), 'utf8')).toMatch(/"type":"Point"/);
  expect(rows).toBeGreaterThan(0);
  await json('export', join(folder, 'sold.parquet'), '--comps', '{"fips": 33019, "status": ["SOLD"]}');
  const sold = await parquetReadObjects({ file: await bytesOf('sold.parquet') });
  expect(new Set(sold.map(row => row.status))).toEqual(new Set(['SOLD']));
  const { rows: marks } = await db.pool.query('select from given_rows union all select from given_others');
  expect(marks).toHaveLength(0);
  await refused(['export', join(folder, 'x.pdf'), '--county', '33019'], /x\.pdf/);
  await refused(['export', join(folder, 'x.csv')], /--county, --filter, or --comps/);
  await refused(['export', join(folder, 'x.csv'), '--filter', '{"acres_min": 5}'], /--filter: county\b/);
  await refused(['export', join(folder, 'x.csv'), '--county', '33019', '--columns', 'phone'], /phone/);
  const { code, err } = await plat('export', join(folder, 'nowhere/x.csv'), '--county', '33019');
  expect([code, err]).toEqual([1, expect.stringMatching(/folder/)]);
  expect((await readdir(folder)).filter(name => name.endsWith('.part'))).toEqual([]);
});

test('plat publish writes a file a county, and a manifest that tells which', async () => {
  const to = join(folder, 'published');
  const manifest = await json('publish', to);
  expect(JSON.parse(await readFile(join(to, 'manifest.json'), 'utf8'))).toEqual(manifest);
  const { rows } = await db.pool.query<{ fips: string; rows: number; acres: number }>(
    `select lpad(fips::text, 5, '0') as fips, count(*)::int as rows, sum(acres) as acres
     from parcels where retired_at is null group by 1 order by 1`,
  );
  expect(manifest.files.map((file: { fips: string; rows: number }) => [file.fips, file.rows])).toEqual(
    rows.map(({ fips, rows }) => [fips, rows]),
  );
  for (const [i, { path, bytes, sha256, sources }] of manifest.files.entries()) {
    const file = await readFile(join(to, path));
    expect([file.length, hash('sha256', file, 'hex')]).toEqual([bytes, sha256]);
    expect(sources).not.toBe('');
    const parcels = await parquetReadObjects({ file: new Uint8Array(file).buffer, columns: ['acres'] });
    expect(parcels.reduce((sum, row) => sum + (row.acres ?? 0), 0)).toBeCloseTo(rows[i]!.acres ?? 0, 3);
  }
  const first = await bytesOf('published/33019.parquet');
  expect(parquetMetadata(first).key_value_metadata!.map(({ key }) => key)).toContain('geo');
  // One county again: the others stay in the manifest.
  await writeFile(join(to, '33019.parquet'), '');
  expect((await json('publish', to, '--county', '33019')).files).toHaveLength(rows.length);
  expect((await bytesOf('published/33019.parquet')).byteLength).toBe(first.byteLength);
  await refused(['publish', to, '--county', '48001'], /\b48001\b/);
});
