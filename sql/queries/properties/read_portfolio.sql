-- Reads the parcels that share the owner of one of them, itself included, by their ids. One row at least when the parcel
-- is known; then property_id is null where it has left the roll, where it has no owner's mailing address, and where the
-- owner holds more parcels than are wanted.
-- Fragments: summary, the columns of a summary. $1 fips int, $2 property id bigint, $3 the most parcels bigint
with subject as materialized (
  select s.retired_at, f.owner_key
  from parcels s
  left join parcel_filters f on f.fips = s.fips and f.property_id = s.property_id
  where s.fips = $1::int and s.property_id = $2::bigint
),
holding as materialized (
  select s.*, (
    select count(*)
    from (select from owner_parcels o where o.owner_key = s.owner_key limit $3::bigint + 1) held
  ) as parcels
  from subject s
)
select h.retired_at is not null as retired, h.owner_key is not null as has_owner, h.parcels, portfolio.*
from holding h
left join lateral (
  select {{summary}}
  from owner_parcels o
  -- OFFSET 0: by primary key one by one, whatever the planner believes right after a large ingestion.
  cross join lateral (
    select *
    from parcels q
    where q.fips = (o.property_id / 100000000)::int and q.property_id = o.property_id
    offset 0
  ) p
  -- No key, no row: a condition beside the join might be looked at after it.
  where o.owner_key = case when h.parcels <= $3::bigint then h.owner_key end
) portfolio on true
order by portfolio.property_id
