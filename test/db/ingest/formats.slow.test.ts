import { writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { expect, test } from 'vitest';
import { createTestDatabase } from '../../support/database.ts';
import { all, feedOf, ingest } from '../../support/ingest.ts';
import { contextFor, fixtures, readAll } from '../../unit/formats/make.ts';

const { folder, pool } = await createTestDatabase();

type Input = { source: string; format: string; layer?: string; layout?: { name: string; width: number }[] };

const KEY = { strip_leading_zeros: true, drop_empty: true, join: '-' };

/**
 * The parcels of Washington NH with the town's roll, as one feed stores them; without what is computed from
 * boundaries before they are rounded to centimeters, which may differ by one where coordinates went
 * through feet and back.
 */
const storedBy = (name: string, roll: Input, shape: Input) =>
  stored({
    name: name.replace('_', '-'),
    kind: 'assessor',
    fips: '33019',
    gates: { max_reject_percent: 100 },
    roll: {
      ...roll,
      source: resolve(fixtures, roll.source),
      key: { ...KEY, columns: ['MAP', 'LOT', 'SUB'] },
      columns: {
        apn: 'PID',
        owner_name: 'OWNER',
        mail_address: 'ADDRESS',
        mail_zip: 'ZIP',
        acres: 'ACRES',
        zoning_code: 'ZONE',
        land_use_code: 'LANDUSE',
        assessed_total_value: 'TOTTXVAL',
        last_sale_date: 'SALEDATE',
        last_sale_price: 'SALEPRICE',
        seller_name: 'SALEGRNT',
      },
    },
    shape: { ...shape, source: resolve(fixtures, shape.source), key: { ...KEY, columns: ['id'] } },
  });

async function stored(definition: Record<string, unknown>) {
  const feed = feedOf(folder, definition);
  const { status, counts } = await ingest(pool, feed);
  expect(status).toBe('merged');
  expect(counts.rejected).toEqual({});
  const rows = await all<{ row: Record<string, unknown> }>(
    pool,
    `select to_jsonb(p) - '{feed_id,property_id,created_run,changed_run,row_version,roll_hash,shape_hash}'::text[]
       - '{location,calculated_acres,effective_acres}'::text[] as row
     from parcels p join feeds on feeds.id = feed_id where name = $1 order by source_key`,
    [feed.name],
  );
  return rows.map(({ row }) => row);
}

const roll = { source: 'washington-assessor.dbf', format: 'dbf' };
const shape = { source: 'washington-parcels.geojson', format: 'geojson' };
const reference = await storedBy('reference', roll, shape);

/** The roll as lines of fixed width. */
async function fixedWidth(): Promise<Input> {
  const { rows } = await readAll({ ...roll, format: 'dbf' }, contextFor(fixtures));
  const layout = Object.keys(rows[0]!.values).map(name => ({ name, width: 51 }));
  const lines = rows.map(({ values }) =>
    layout.map(({ name }) => String(values[name] ?? '').padEnd(51)).join(''),
  );
  const source = join(folder, 'roll.txt');
  writeFileSync(source, lines.map(line => `${line}\n`).join(''));
  return { source, format: 'fixed_width', layout };
}

test('the reference has what every format must produce', () => {
  expect(reference.length).toBeGreaterThanOrEqual(25);
  for (const field of ['boundary', 'owner_name', 'acres', 'last_sale_date', 'assessed_total_value'])
    expect(reference.filter(row => row[field] !== null).length, field).toBeGreaterThan(5);
});

test.each<[string, Input, Input]>([
  [
    'geopackage',
    { source: 'washington.gpkg.zip', format: 'geopackage', layer: 'roll' },
    { source: 'washington.gpkg.zip', format: 'geopackage' },
  ],
  [
    'parquet',
    { source: 'washington-roll.parquet', format: 'parquet' },
    { source: 'washington-parcels.parquet', format: 'parquet' },
  ],
  [
    'filegdb',
    roll, // the table of the geodatabase is read in unit/formats: each reading starts GDAL twice
    { source: 'washington.gdb.zip', format: 'filegdb' },
  ],
  ['xlsx', { source: 'washington-roll.xlsx', format: 'xlsx' }, shape],
  ['fixed_width', await fixedWidth(), shape],
])('%s: the same parcels are the same rows', async (name, ofRoll, ofShape) => {
  expect(await storedBy(name, ofRoll, ofShape)).toEqual(reference);
});

test('access: the same rows as from an equivalent CSV', async () => {
  writeFileSync(
    join(folder, 'table.csv'),
    'A,B,E,F,G,H,I\na,b,0,0,1981-12-12,0,false\nabcdefg,hijklmnop,333333333,444.555,1974-09-21,3.5,true\n',
  );
  const by = (name: string, input: object) =>
    stored({
      name,
      kind: 'assessor',
      fips: '33019',
      roll: {
        ...input,
        key: 'A',
        columns: {
          apn: 'A',
          owner_name: 'B',
          assessed_total_value: 'E',
          acres: 'F',
          last_sale_date: 'G',
          last_sale_price: 'H',
          owner_occupied: { column: 'I', values: { true: true, false: false } },
        },
      },
    });
  const [first, second] = await by('plain', { source: join(folder, 'table.csv'), format: 'csv' });
  expect(second).toMatchObject({ acres: 444.555, owner_occupied: true, last_sale_price: 4 });
  for (const member of ['access-97.mdb', 'access-2010.accdb'])
    expect(
      await by(member.replace('.', '-'), {
        source: resolve(fixtures, 'access.zip'),
        format: 'access',
        member,
        layer: 'Table1',
      }),
    ).toEqual([first, second]);
});
