-- Makes a run the version of its layer that readers see.
-- $1 feed id int, $2 kind text, $3 run id bigint, $4 coverage box, $5 fips int, $6 reach in metres jsonb
insert into land_layers (feed_id, kind, run_id, coverage, fips, reach_m)
values ($1, $2, $3, $4, $5, $6)
on conflict (feed_id) do update
set
  kind = excluded.kind,
  run_id = excluded.run_id,
  coverage = excluded.coverage,
  fips = excluded.fips,
  reach_m = excluded.reach_m,
  merged_at = now()
