import { expect, test } from 'vitest';
import { checkDistributed } from '../../tools/checks/distributed.ts';

const SCHEMA = { path: 'sql/schema.sql', text: 'create table parcels (\n);\ncreate table runs (\n);\n' };
const faultsOf = (body: string) =>
  checkDistributed([SCHEMA, { path: 'sql/queries/area/file.sql', text: `-- name: one\n${body}\n` }]);

test.each([
  ['select 1 from parcels where property_id = :property_id', /\bfips\b/],
  ['delete from owner_parcels where property_id = :property_id', /owner_key/],
  ['insert into parcels (fips) select :fips from generate_series(1, 2)', /parameters/],
  [
    'select fips from parcels p where not exists (select 1 from runs r where r.id = p.created_run)',
    /distributed table.*local/,
  ],
  [
    'select id from runs r where not exists (select 1 from parcels p where p.fips = 1 and p.created_run = r.id)',
    /distributed table.*local/,
  ],
  // What Citus refuses.
  [
    `insert into given_rows as g (fips, property_id) select fips, property_id from stage
     on conflict (fips, property_id) do update set given_at = excluded.given_at
     where g.given_at <= excluded.given_at - interval '30 days'`,
    /ON CONFLICT of given_rows\b.*immutable/,
  ],
  [
    'insert into parcels (fips, apn) values (:fips, :apn) on conflict (fips) do update set retired_at = now()',
    /now\(\).*ON CONFLICT of parcels/,
  ],
  [
    `with kept as (
       insert into parcels (fips, apn) values ({{fips}}, {{apn}})
       on conflict (fips) do update set retired_at = current_timestamp returning 1
     ) select count(*) from kept where now() > {{since}}`,
    /current_timestamp.*ON CONFLICT/,
  ],
  [
    'insert into parcels (fips) values (:fips) on conflict (fips) do update set day = excluded.at::date',
    /::date.*ON CONFLICT/,
  ],
  [
    'insert into parcels (fips, apn) values (:fips, :apn) on conflict (apn) do update set apn = excluded.apn',
    /ON CONFLICT of parcels.*\bfips\b/,
  ],
  [
    'insert into parcels (fips) values (:fips) on conflict (fips) do update set fips = excluded.fips',
    /changes.*\bfips\b.*parcels/,
  ],
  [
    'insert into parcels (fips) values (1) on conflict (fips) do update set n = (select n from runs)',
    /select.*ON CONFLICT/,
  ],
  ['insert into parcels (apn) select apn from stage where fips = 1', /inserts.*parcels.*\bfips\b/],
  ['update parcels p set fips = :to where p.fips = :fips', /changes.*\bfips\b.*parcels/],
  ['update parcels set at = clock_timestamp() where fips = :fips', /clock_timestamp\(\).*volatile/],
  ['delete from parcels where fips = :fips and random() < 0.5', /random\(\).*volatile/],
  ['select fips from parcels where fips = any (:counties) for update', /locks.*parcels/],
  [
    'select r.id from runs r join parcels p on p.fips = r.fips where r.id = :id for no key update',
    /locks.*parcels/,
  ],
  ['select fips, zip from parcels group by grouping sets ((fips), (zip))', /groups.*parcels/],
  [
    'with recursive r as (select 1 as n union select n + 1 from r join parcels p on p.fips = r.n) select n from r',
    /parcels.*recursion/,
  ],
  ['merge into parcels using runs on runs.fips = parcels.fips', /merges.*parcels/],
])('%s is refused', (body, fault) => {
  expect(faultsOf(body)).toEqual([expect.stringMatching(fault)]);
});

test.each([
  'select 1 from parcels where fips = :fips and property_id = :property_id',
  'insert into parcels (fips) select {{fips}} from stage',
  'select fips from parcels p where not exists (select 1 from parcels q where q.fips = p.fips)',
  `insert into given_rows as g (fips, property_id) select fips, property_id from stage
   on conflict (fips, property_id) do update set given_at = excluded.given_at
   where g.version <> excluded.version
     or (g.given_at at time zone 'UTC') <= (excluded.given_at at time zone 'UTC') - interval '30 days'
   returning now()`,
  'insert into parcels (fips, n) values (:fips, 1) on conflict (fips) do update set n = coalesce(excluded.n, 0)',
  "insert into parcels (fips) values (1) on conflict (fips) do update set day = '2026-01-01'::date",
  'select zip, use from parcels where fips = :fips group by rollup (zip, use)',
  // A local table may use everything that PostgreSQL has.
  `insert into runs (id, at) values (:id, now())
   on conflict (id) do update set at = excluded.at - interval '30 days', seen = clock_timestamp()`,
  'update parcels set retired_at = now() where fips = :fips',
  'select property_id from parcels where fips = :fips order by property_id for update',
  'select id from runs where id = :id for update',
  `with run as (select id from runs where id = :id for update)
   select p.property_id from parcels p join run on true where p.fips = any (:counties)`,
  '-- by property_id alone: a comment\nselect 1 from runs where id = :id',
])('%s is taken', body => {
  expect(faultsOf(body)).toEqual([]);
});
