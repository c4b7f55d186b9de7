-- Retires the parcels that left the roll. They keep their row and their id, and return to it when the key does.
-- $1 run id bigint, $2 feed id int
update parcels p
set retired_run = $1, retired_at = now(), changed_run = $1
where p.feed_id = $2
  and p.retired_at is null
  and not exists (select from stage_match m where m.fips = p.fips and m.key = p.source_key)
