-- What the installation holds, at a glance.
-- Returns: one row of counts
select
  (select count(*)::int from regions where type = 'county') as counties,
  (select count(*)::int from regions where type = 'zip') as zips,
  (select count(*)::int from feeds) as feeds,
  (select count(*)::int from parcels where retired_at is null) as parcels,
  (select count(*)::int from parcels where retired_at is not null) as retired_parcels,
  (select count(*)::int from listings where status <> 'OFF_MARKET') as comps,
  (select count(*)::int from region_stats where computed_at is not null) as regions_with_statistics,
  (select count(*)::int from stats_dirty) as regions_due,
  (select count(*)::int from land_layers) as land_layers,
  (select count(*)::int from attributes_dirty) as parcels_due,
  (select count(*)::int from jobs where status = 'queued') as jobs_queued,
  (select count(*)::int from jobs where status = 'running') as jobs_running,
  (select count(*)::int from jobs where status = 'failed') as jobs_failed,
  pg_size_pretty(pg_database_size(current_database())) as database_size
