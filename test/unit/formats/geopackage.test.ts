import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import sqlite from 'node-sqlite3-wasm';
import { describe, expect, test } from 'vitest';
import { prepareBoundary } from '../../../shared/geo/prepare-geometry.ts';
import { readInput } from '../../../workers/formats/read-format.ts';
import { contextFor, fixtures, readAll, temporaryFolder, values } from './make.ts';
import { wkbOf } from './wkb.ts';

const folder = temporaryFolder();
const context = contextFor(folder.path);
const read = (source: string, layer?: string) =>
  readAll({ source, format: 'geopackage', ...(layer && { layer }) }, context);

/** A geometry in GeoPackage's form, with an envelope of the given kind (0 to 4). */
function geometryBlob(wkb: Buffer, envelope = 0, empty = false): Buffer {
  const flags = 1 | (envelope << 1) | (empty ? 0x10 : 0);
  const head = Buffer.from([0x47, 0x50, 0, flags, 0, 0, 0, 0]);
  return Buffer.concat([head, Buffer.alloc([0, 32, 48, 48, 64][envelope]!), wkb]);
}

const POINT = wkbOf({ type: 'Point', coordinates: [-72.1, 43.2] });

/** A GeoPackage with these layers, written by SQLite. */
function put(name: string, layers: Record<string, Buffer[]>, statements = ''): string {
  const path = join(folder.path, name);
  const db = new sqlite.Database(path);
  db.exec(`
    create table gpkg_contents (table_name text, data_type text);
    create table gpkg_geometry_columns (table_name text, column_name text, srs_id int);
    create table gpkg_spatial_ref_sys (srs_id int, organization text, organization_coordsys_id int, definition text);
    insert into gpkg_spatial_ref_sys values (4326, 'EPSG', 4326, ''), (0, 'NONE', 0, 'undefined');`);
  for (const [layer, blobs] of Object.entries(layers)) {
    db.exec(
      `create table "${layer}" (fid integer primary key, vacant BOOLEAN, size int, sold DATETIME, photo blob, geom blob)`,
    );
    db.exec(
      `insert into gpkg_contents values ('${layer}', 'features'); insert into gpkg_geometry_columns values ('${layer}', 'geom', 4326)`,
    );
    // A commit of each row has the disk write thousands of times.
    db.exec('begin');
    for (const blob of blobs)
      db.run(
        `insert into "${layer}" values (null, 1, 9007199254740993, '2024-05-01T00:00:00.000Z', x'00', ?)`,
        [blob],
      );
    db.exec('commit');
  }
  db.exec(statements);
  db.close();
  return name;
}

describe('the real parcels', () => {
  test('are read in feet from a ZIP: the only table with shapes, or one named in any case', async () => {
    const parcels = await read(`${fixtures}washington.gpkg.zip`);
    expect(parcels.bad).toEqual([]);
    expect(parcels.rows).toHaveLength(12);
    expect(parcels.rows[0]!.values).toEqual({
      fid: 1,
      id: '1-1',
      address: 'NORTH MAIN STREET',
      area: 78,
      zone: '02',
    });
    const roll = await read(`${fixtures}washington.gpkg.zip`, 'ROLL');
    expect(roll.rows).toHaveLength(25);
    expect(roll.rows.every(row => row.geometry === null)).toBe(true);
    await expect(read(`${fixtures}washington.gpkg.zip`, 'lots')).rejects.toThrow(/"lots".*parcels, roll/);
  });
});

describe('the contents of a table', () => {
  test('values are plain, whatever the envelope; an empty shape is none, a curve costs the row its shape', async () => {
    const curve = Buffer.from(POINT).fill(10, 1, 2);
    const blobs = [0, 1, 2, 3, 4].map(envelope => geometryBlob(POINT, envelope));
    put('a.gpkg', {
      lots: [
        ...blobs,
        geometryBlob(POINT, 0, true),
        geometryBlob(curve),
        Buffer.from('no shape'),
        geometryBlob(POINT).subarray(0, 11),
      ],
    });
    const all = await read('a.gpkg');
    expect(all.rows.slice(0, 5).map(row => row.geometry)).toEqual(
      Array(5).fill({ type: 'Point', coordinates: [-72.1, 43.2] }),
    );
    expect(all.rows[5]!.geometry).toBeNull();
    expect(values(all)[0]).toEqual({
      fid: 1,
      vacant: true,
      size: '9007199254740993',
      sold: '2024-05-01T00:00:00.000Z',
      photo: null,
    });
    expect(all.bad).toEqual([]);
    expect(all.rows.slice(6).map(({ geometry }) => prepareBoundary(geometry))).toMatchObject([
      { reason: 'unreadable', message: expect.stringContaining('CONVERT_TO_LINEAR') },
      { reason: 'unreadable' },
      { reason: 'unreadable' },
    ]);
  });

  test('two processes can read one file at once, even with a leftover lock, and nothing is left beside it', async () => {
    put('shared.gpkg', { lots: Array(2_500).fill(geometryBlob(POINT)) });
    const spec = { source: 'shared.gpkg', format: 'geopackage' } as const;
    const half = readInput(spec, context);
    await half.next();
    expect((await readAll(spec, context)).rows).toHaveLength(2_500);
    await half.return(undefined);
    expect(existsSync(join(folder.path, 'shared.gpkg.lock'))).toBe(false);
    expect(readdirSync(context.tmpDir)).toEqual([]);
  });
});

describe('the layer', () => {
  test('has to be named if several have shapes, and the error lists them', async () => {
    put('b.gpkg', { lots: [], roads: [] });
    await expect(read('b.gpkg')).rejects.toMatchObject({
      code: 'feed_format',
      message: expect.stringMatching(/^b\.gpkg .*\b2\b.*lots, roads.*"layer".*--layer/),
      details: { layer: ['lots', 'roads'] },
    });
    expect((await read('b.gpkg', 'roads')).rows).toEqual([]);
  });

  test('is never a view, which could run forever', async () => {
    const endless = 'with recursive n(i) as (select 1 union all select i from n) select i from n';
    put(
      'c.gpkg',
      { parcels: [] },
      `create view lots as ${endless}; insert into gpkg_contents values ('lots', 'attributes')`,
    );
    await expect(read('c.gpkg', 'lots')).rejects.toThrow(/"lots".*: parcels/);
  });
});

test('two contradicting CRSs of a layer are refused with both', async () => {
  put(
    'two.gpkg',
    { lots: [geometryBlob(POINT)] },
    `alter table gpkg_contents add srs_id int;
     update gpkg_contents set srs_id = 4326;
     update gpkg_geometry_columns set srs_id = 3857;
     insert into gpkg_spatial_ref_sys values (3857, 'EPSG', 3857, '')`,
  );
  await expect(read('two.gpkg')).rejects.toMatchObject({
    code: 'feed_crs',
    message: expect.stringMatching(/\b4326\b.*\b3857\b/),
  });
  const spec = { source: 'two.gpkg', format: 'geopackage', crs: 'EPSG:4326' } as const;
  expect((await readAll(spec, context)).rows[0]!.geometry).toMatchObject({ coordinates: [-72.1, 43.2] });
});

const good = () =>
  readFileSync(join(folder.path, put(`good-${Math.random()}.gpkg`, { lots: [geometryBlob(POINT)] })));

test('a file in write-ahead mode, as QGIS leaves it, is read unless another program still has part of it', async () => {
  const bytes = good().fill(2, 18, 20);
  writeFileSync(join(folder.path, 'qgis.gpkg'), bytes);
  expect((await read('qgis.gpkg')).rows).toHaveLength(1);
  expect(readFileSync(join(folder.path, 'qgis.gpkg'))).toEqual(bytes);
  writeFileSync(join(folder.path, 'qgis.gpkg-wal'), 'frames');
  await expect(read('qgis.gpkg')).rejects.toMatchObject({
    code: 'feed_format',
    message: expect.stringMatching(/qgis\.gpkg-wal/),
  });
});

describe('unreadable files', () => {
  test.each([
    ['another format', () => Buffer.from('PID,OWNER\n'), 'feed_format', /GeoPackage/],
    ['empty', () => Buffer.alloc(0), 'feed_format', /GeoPackage/],
    ['cut', () => good().subarray(0, -4096), 'feed_source', /^bad\.gpkg /],
    ['damaged', () => good().fill(0xff, 4096, 12_000), 'feed_format', /layer of a GeoPackage/],
    ['no GeoPackage, but SQLite', () => good().fill('x', 100, 4096), 'feed_format', /layer of a GeoPackage/],
  ])('%s', async (_, bytes, code, message) => {
    writeFileSync(join(folder.path, 'bad.gpkg'), bytes());
    await expect(read('bad.gpkg')).rejects.toMatchObject({ code, message: expect.stringMatching(message) });
  });
});
