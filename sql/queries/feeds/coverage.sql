-- name: delete_counties
-- Deletes counties' rows before they are counted again, because a county without parcels has no row.
-- {{fips}}: an int[] literal
delete from county_coverage where fips = any ({{fips}}::int[]);

-- name: count_counties
-- Stores how many parcels of some counties have each kind of data. {{fips}}: an int[] literal
insert into county_coverage (
  fips, parcels, with_boundary, with_owner, with_acres, with_values, with_sale, feed_ids, apn_shapes, west, south, east, north
)
select fips, sum(parcels), sum(with_boundary), sum(with_owner), sum(with_acres), sum(with_values), sum(with_sale),
  array_agg(feed_id order by feed_id), array_remove(array_agg(distinct apn_shape), null), min(west), min(south), max(east), max(north)
-- Grouped by feed first, because collecting the distinct feeds of all parcels would sort the parcels.
from (
  select fips, feed_id, count(*) as parcels, count(boundary) as with_boundary, count(owner_name) as with_owner,
    count(effective_acres) as with_acres, count(coalesce(assessed_total_value, market_total_value)) as with_values,
    count(last_sale_date) as with_sale,
    mode() within group (order by translate(
      upper(apn), '123456789BCDEFGHIJKLMNOPQRSTUVWXYZ', '000000000AAAAAAAAAAAAAAAAAAAAAAAAA'
    )) as apn_shape,
    min(least(location[0], (extent[1])[0])) / 1e7 as west,
    min(least(location[1], (extent[1])[1])) / 1e7 as south, max(greatest(location[0], (extent[0])[0])) / 1e7 as east,
    max(greatest(location[1], (extent[0])[1])) / 1e7 as north
  from parcels
  where fips = any ({{fips}}::int[]) and retired_at is null
  group by fips, feed_id
) of_feeds
group by fips;

-- name: list_counties_meeting
-- The counties that have parcels in the given boxes.
select fips
from county_coverage
where exists (
  select 1 from unnest(:boxes::text[]) place
  where box(point(west * 1e7, south * 1e7), point(east * 1e7, north * 1e7)) && place::box
);

-- name: list_counties
-- Counties with parcels, by state and name.
select r.code as fips, r.name, r.state
from county_coverage c
join regions r on r.type = 'county' and r.fips = c.fips
order by r.state, r.name
limit :limit;

-- name: list_last_runs
-- The result of each feed's most recent finished run.
select distinct on (f.id) f.name as feed, r.status
from feeds f
join runs r on r.feed_id = f.id
where r.finished_at is not null
order by f.id, r.id desc;

-- name: list_filled_fields
-- The fields that have values in a county's newest rolls.
select distinct regexp_replace(f.field, '^shape\.', '') as field
from county_coverage c
cross join lateral unnest(c.feed_ids) as feed (id)
cross join lateral (
  select counts from runs where feed_id = feed.id and status = 'merged' order by finished_at desc limit 1
) run
cross join lateral jsonb_each_text(run.counts -> 'filled') as f (field, rows)
where c.fips = :fips::int and f.rows::bigint > 0;
