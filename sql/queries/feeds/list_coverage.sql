-- Coverage of the counties with parcels or listings. `fips`: one county, or null for all.
with listed as (
  select fips, count(*) filter (where status = 'ACTIVE') as active, count(*) filter (where status = 'PENDING') as pending,
    count(*) filter (where status = 'SOLD') as sold, array_agg(distinct feed_id) as feed_ids
  from listings
  where fips is not null and (:fips::int is null or fips = :fips)
  group by fips
), county as (
  select fips from county_coverage where :fips::int is null or fips = :fips
  union select fips from listed
), source as (
  select f.id, f.kind, f.name, r.finished_at, r.reads_sales, jsonb_build_object(
    'kind', f.kind, 'feed', f.name, 'title', f.definition ->> 'title', 'attribution', f.definition ->> 'attribution',
    'licence', f.definition ->> 'licence', 'edition', f.as_of,
    -- The versions of ArcGIS layers and of files from servers start with a date.
    'changed', substring(r.inputs #>> '{0,version}' from '^\d{4}-\d{2}-\d{2}'),
    -- Omits the query string, and is null if the URL may contain a user name, because either may be secret.
    'source_url', case when address not like '%@%' then substring(address from '^https?://[^?#]*') end
  ) as facts
  from feeds f
  cross join lateral (
    select coalesce(
      f.definition #>> '{roll,source}', f.definition #>> '{roll,0,source}', f.definition #>> '{layer,source}',
      f.definition #>> '{listings,source}', f.definition #>> '{elevation,template}', f.definition #>> '{elevation,source}',
      f.definition #>> '{imagery,template}', f.definition #>> '{imagery,source}'
    ) as address
  ) named
  left join lateral (
    select finished_at, inputs, counts ? 'sales' as reads_sales from runs
    where feed_id = f.id and status in ('merged', 'unchanged')
    order by finished_at desc
    limit 1
  ) r on true
)
select r.code as fips, r.name, r.state,
  coalesce(c.parcels, 0) as parcels, coalesce(c.with_boundary, 0) as with_boundary, coalesce(c.with_owner, 0) as with_owner,
  coalesce(c.with_acres, 0) as with_acres, coalesce(c.with_values, 0) as with_values, coalesce(c.with_sale, 0) as with_sale,
  coalesce(l.active, 0) as active, coalesce(l.pending, 0) as pending, coalesce(l.sold, 0) as sold,
  s.as_of as stats_as_of, v.as_of as valuations_as_of,
  coalesce(rolls.reads_sales, false) as reads_sales,
  coalesce(rolls.sources, '[]') || coalesce(land.sources, '[]') as sources
from county
join regions r on r.type = 'county' and r.fips = county.fips
left join county_coverage c on c.fips = county.fips
left join listed l on l.fips = county.fips
left join region_stats s on s.type = 'county' and s.code = r.code
left join valuation_counties v on v.fips = county.fips
left join lateral (
  select jsonb_agg(facts || jsonb_build_object('merged_at', finished_at) order by name) as sources,
    bool_or(kind = 'listings' or reads_sales) as reads_sales
  from source
  where id = any (c.feed_ids || l.feed_ids)
) rolls on true
left join lateral (
  select jsonb_agg(facts || jsonb_build_object('merged_at', ll.merged_at) order by source.kind, source.name) as sources
  from land_layers ll
  join source on source.id = ll.feed_id
  where c.west is not null
    and (ll.fips = county.fips
      or ll.coverage && box(point(c.west * 1e7, c.south * 1e7), point(c.east * 1e7, c.north * 1e7)))
) land on true
order by r.state, r.name;
