-- name: count_changed
-- How many numbers each area code has once the staged bitmaps are merged.
select a.area_code, to_char(a.edition, 'YYYY-MM-DD') as edition, (a.numbers + sum(bit_count(s.bits) - coalesce(bit_count(d.bits), 0)))::int as numbers
from stage_dnc s
join dnc_areas a on a.area_code = s.prefix / 1000
left join dnc_numbers d on d.prefix = s.prefix
group by a.area_code, a.edition, a.numbers

-- name: create_block_stage
-- Creates the staging table for a run's number blocks in the run's schema. The table is unlogged and is
-- filled once by COPY.
create unlogged table stage_block as
select null::bigint as row_no, prefix, block, operator, line_type, row_hash as hash
from number_blocks
with no data

-- name: create_dnc_stage
-- Creates the staging table for a run's bitmaps in the run's schema. The table is unlogged and is filled once
-- by COPY.
create unlogged table stage_dnc (prefix int, bits bytea)

-- name: delete_areas
-- Removes area codes from the registry, so that a full list can replace them.
delete from dnc_numbers where prefix / 1000 = any(:area_codes::int[])

-- name: delete_gone_blocks
-- Removes the blocks that a feed no longer lists.
delete from number_blocks b
where b.feed_id = :feed_id and not exists (select from stage_block s where s.prefix = b.prefix and s.block = b.block)

-- name: list_areas
-- The area codes in the registry.
select area_code, to_char(edition, 'YYYY-MM-DD') as edition, numbers from dnc_areas

-- name: list_bitmaps
-- The bitmaps of these area codes and exchanges.
select prefix, bits from dnc_numbers where prefix = any(:prefixes::int[])

-- name: look_up_numbers
-- The line type of each number, by its longest matching block, and whether the registry lists it (null when
-- unknown).
select
  n.number::text as number,
  b.line_type,
  case when a.area_code is not null then coalesce(get_bit(d.bits, (n.number % 10000)::int) = 1, false) end as dnc,
  to_char(a.edition, 'YYYY-MM-DD') as dnc_as_of
from unnest(:numbers::bigint[]) as n (number)
left join dnc_areas a on a.area_code = (n.number / 10000000)::smallint
left join dnc_numbers d on d.prefix = (n.number / 10000)::int
left join lateral (
  select line_type
  from number_blocks
  where prefix = (n.number / 10000)::int and block in (-1, ((n.number / 1000) % 10)::smallint)
  order by block desc, line_type nulls last
  limit 1
) b on true

-- name: measure_blocks
-- The figures that the gate compares and the run reports.
select
  count(s.prefix)::int as rows,
  count(*) filter (where b.prefix is null)::int as new,
  count(*) filter (where b.row_hash <> s.hash)::int as changed,
  count(*) filter (where b.row_hash = s.hash)::int as unchanged,
  count(*) filter (where s.prefix is null)::int as retired
from stage_block s
full join (select prefix, block, row_hash from number_blocks where feed_id = :feed_id) b on b.prefix = s.prefix and b.block = s.block

-- name: summarise_registry
-- How old Plat's copy of the registry is: the date of its oldest list, the age of that list in days, and the
-- number of area codes and of phone numbers.
select
  count(*)::int as areas,
  coalesce(sum(numbers), 0)::bigint as numbers,
  to_char(min(edition), 'YYYY-MM-DD') as edition,
  (current_date - min(edition))::int as age_days
from dnc_areas

-- name: upsert_blocks
-- Writes new and changed blocks.
insert into number_blocks (prefix, block, feed_id, operator, line_type, row_hash)
select prefix, block, :feed_id, operator, line_type, hash
from stage_block
on conflict (prefix, block, feed_id) do update
set operator = excluded.operator, line_type = excluded.line_type, row_hash = excluded.row_hash
where number_blocks.row_hash <> excluded.row_hash

-- name: write_areas
-- Stores the list date and the count of numbers for each area code in the registry.
insert into dnc_areas (area_code, edition, numbers, feed_id, changed_run)
select a.code, a.edition, a.numbers, :feed_id, :run_id
from unnest(:area_codes::int[], :editions::date[], :numbers::int[]) as a (code, edition, numbers)
on conflict (area_code) do update
set edition = excluded.edition, numbers = excluded.numbers, feed_id = excluded.feed_id, changed_run = excluded.changed_run

-- name: write_bitmaps
-- Merges the staged bitmaps into the registry.
insert into dnc_numbers (prefix, bits)
select prefix, bits from stage_dnc
on conflict (prefix) do update set bits = excluded.bits

-- name: lock_areas
-- Allows one merge of registry lists at a time.
lock table dnc_areas in share row exclusive mode
