import { expect, test } from 'vitest';
import { checkDistributed } from '../../tools/checks/distributed.ts';

const SCHEMA = { path: 'sql/schema.sql', text: 'create table parcels (\n);\ncreate table runs (\n);\n' };
const faultsOf = (body: string) =>
  checkDistributed([SCHEMA, { path: 'sql/queries/area/file.sql', text: `-- name: one\n${body}\n` }]);

test.each([
  ['select 1 from parcels where property_id = :property_id', /without its fips/],
  ['delete from owner_parcels where property_id = :property_id', /without its owner_key/],
  ['insert into parcels (fips) select :fips from generate_series(1, 2)', /has parameters/],
  [
    'select fips from parcels p where not exists (select 1 from runs r where r.id = p.created_run)',
    /between a distributed table and a local one/,
  ],
  [
    'select id from runs r where not exists (select 1 from parcels p where p.fips = 1 and p.created_run = r.id)',
    /between a distributed table and a local one/,
  ],
])('%s is refused', (body, fault) => {
  expect(faultsOf(body)).toEqual([expect.stringMatching(fault)]);
});

test.each([
  'select 1 from parcels where fips = :fips and property_id = :property_id',
  'insert into parcels (fips) select {{fips}} from stage',
  'select fips from parcels p where not exists (select 1 from parcels q where q.fips = p.fips)',
  '-- by property_id alone: a comment\nselect 1 from runs where id = :id',
])('%s is taken', body => {
  expect(faultsOf(body)).toEqual([]);
});
