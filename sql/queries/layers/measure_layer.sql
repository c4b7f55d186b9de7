-- The figures that the gate compares and the run reports.
-- $1 feed id int
-- Returns: rows, new, retired
select
  (select count(*)::int from stage_layer) as rows,
  (
    select count(*)::int
    from stage_layer s
    where not exists (select from layer_features f where f.feed_id = $1 and f.hash = s.hash)
  ) as new,
  (
    select count(*)::int
    from layer_features f
    where f.feed_id = $1 and not exists (select from stage_layer s where s.hash = f.hash)
  ) as retired
