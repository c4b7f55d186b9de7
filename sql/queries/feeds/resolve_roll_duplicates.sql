-- Resolves roll rows that share a key. The first row is kept (attributes of a geometry row only if the roll
-- has no row with the key), identical rows are dropped, and different ones are rejected with their raw text.
-- Removed rows are listed in stage_removed. `identical` is a comparison with the first row of the same file.
-- `most`: rejects stored per reason
with repeated as (
  select fips, key
  from stage_roll
  group by fips, key
  having count(*) > 1
),
ranked as (
  select
    r.ctid as place,
    row_number() over same_key as n,
    first_value(r.hash) over (partition by r.fips, r.key, r.input order by r.row_no) as first_hash,
    first_value(r.row_no) over same_key as kept_row
  from stage_roll r
  join repeated using (fips, key)
  window same_key as (partition by r.fips, r.key order by r.input, r.row_no)
),
removed as (
  delete from stage_roll s
  using ranked
  where s.ctid = ranked.place and ranked.n > 1
  returning s.input, s.row_no, s.fips, s.key, s.acres, s.hash = ranked.first_hash as identical, ranked.kept_row
),
remembered as (
  insert into stage_removed (input, row_no, fips, key, acres, identical)
  select input, row_no, fips, key, acres, identical
  from removed
),
rejected as (
  insert into run_rejects (run_id, input, row_no, field, reason, message, raw)
  select
    :run_id, 'roll', d.row_no, 'key', 'duplicate_key',
    format(
      'Key %s is also in row %s, with other values. Plat keeps the values of that row. If this row has geometry, it becomes part of the parcel.',
      d.key, d.kept_row
    ),
    coalesce(raw.raw, '')
  from removed d
  left join stage_raw raw on raw.row_no = d.row_no
  where d.input = 0 and not d.identical
  order by d.row_no
  limit :most
)
select
  (select count(*)::int from removed where input = 0 and identical) as identical,
  (select count(*)::int from removed where input = 0 and not identical) as duplicate_key
