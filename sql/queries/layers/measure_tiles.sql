-- The figures that the gate compares and the run reports. Row comparison would call equal boxes of one size equal, so
-- the extents are compared as texts.
-- $1 feed id int
-- Returns: rows, new, changed, retired
select
  (select count(*)::int from stage_tile) as rows,
  (
    select count(*)::int
    from stage_tile s
    where not exists (select from elevation_tiles t where t.feed_id = $1 and t.source = s.source)
  ) as new,
  (
    select count(*)::int
    from stage_tile s
    join elevation_tiles t on t.feed_id = $1 and t.source = s.source
    where s::text <> t::text
  ) as changed,
  (
    select count(*)::int
    from elevation_tiles t
    where t.feed_id = $1 and not exists (select from stage_tile s where s.source = t.source)
  ) as retired
