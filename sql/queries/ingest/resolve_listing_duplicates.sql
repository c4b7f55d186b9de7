-- Rows of one listing within a run: the newest status is kept, by its date and then by its place in the file;
-- an identical repetition is dropped, an older state is set aside with its raw text.
-- $1 run id bigint
-- Returns: identical, superseded
with repeated as (
  select id
  from stage_listing
  group by id
  having count(*) > 1
),
ranked as (
  select
    l.ctid as place,
    row_number() over same_listing as n,
    first_value(l.hash) over same_listing as kept_hash,
    first_value(l.row_no) over same_listing as kept_row
  from stage_listing l
  join repeated using (id)
  window same_listing as (partition by l.id order by l.status_date desc nulls last, l.row_no desc)
),
removed as (
  delete from stage_listing s
  using ranked
  where s.ctid = ranked.place and ranked.n > 1
  returning s.row_no, s.source_id, s.hash = ranked.kept_hash as identical, ranked.kept_row
),
set_aside as (
  insert into run_rejects (run_id, input, row_no, field, reason, message, raw)
  select
    $1, 'listings', d.row_no, 'source_id', 'superseded',
    format('Listing %s is given again by row %s, whose state is newer.', d.source_id, d.kept_row),
    coalesce(raw.raw, '')
  from removed d
  left join stage_raw raw on raw.row_no = d.row_no
  where not d.identical
  returning 1
)
select
  (select count(*)::int from removed where identical) as identical,
  (select count(*)::int from set_aside) as superseded
