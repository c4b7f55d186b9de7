-- name: create_imagery_stage
-- Creates the staging table for an imagery layer's sources in the run's schema, with the columns of
-- imagery_sources.
create unlogged table stage_imagery as
select *
from imagery_sources
with no data

-- name: delete_imagery
-- Deletes all sources of an imagery layer.
delete from imagery_sources
where feed_id = :feed_id

-- name: get_boundary
-- The data needed to draw a picture of a parcel.
select boundary
from parcels
where fips = :fips::int and property_id = :property_id::bigint

-- name: list_imagery
-- Imagery that intersects a frame, smallest pixels first, then newest.
select
  i.source, i.type, i.details, i.fingerprint, i.captured::text, f.name as feed,
  coalesce(f.definition ->> 'attribution', f.definition ->> 'title', f.name) as attribution,
  coalesce((f.definition -> 'imagery' ->> 'private_network')::boolean, false) as private_network,
  case i.type
    -- A relief is drawn from other runs' layers, so its version changes whenever any run is merged.
    when 'relief' then (select coalesce(max(id), 0)::text from runs where status = 'merged')
    else l.run_id || ' ' || i.fingerprint
  end as version,
  (i.extent[1])[0] / 1e7 as west, (i.extent[1])[1] / 1e7 as south,
  (i.extent[0])[0] / 1e7 as east, (i.extent[0])[1] / 1e7 as north
from imagery_sources i
join land_layers l on l.feed_id = i.feed_id
join feeds f on f.id = i.feed_id
where exists (select from unnest(:boxes::text[]) as b (box) where i.extent && b.box::box)
order by i.pixel_m, i.captured desc nulls last, f.name, i.source
limit 200

-- name: replace_imagery
-- Replaces the sources of an imagery layer with the run's.
with gone as (
  delete from imagery_sources i
  where i.feed_id = :feed_id and not exists (select 1 from stage_imagery s where s.source = i.source)
)
insert into imagery_sources
select *
from stage_imagery
on conflict (feed_id, source) do update
set
  type = excluded.type,
  fingerprint = excluded.fingerprint,
  extent = excluded.extent,
  pixel_m = excluded.pixel_m,
  captured = excluded.captured,
  details = excluded.details

-- name: stage_imagery
-- `tiles`: a list of objects with the columns of imagery_sources except feed_id.
insert into stage_imagery
select :feed_id, s.source, s.type, s.fingerprint, s.extent::box, s.pixel_m, s.captured, s.details
from json_to_recordset(:tiles::json) as s (
  source text, type text, fingerprint text, extent text, pixel_m float8, captured date, details jsonb
)
