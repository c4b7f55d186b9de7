-- Ends an attempt and adds it to the totals behind /metrics, in one statement.
-- $1 id uuid, $2 outcome text (done, failed, retried), $3 result jsonb, $4 error code text, $5 error text,
-- $6 seconds double precision, $7 rows bigint
with finished as (
  update jobs
  set
    status = case when $2 = 'retried' then 'running' else $2 end,
    progress = case when $2 = 'done' then 1 else progress end,
    -- What it was doing last matters where it did not end well.
    note = case when $2 = 'done' then null else note end,
    result = $3,
    error_code = $4,
    error = $5,
    finished_at = case when $2 = 'retried' then null else clock_timestamp() end
  where id = $1 and status = 'running'
  returning name
)
insert into job_totals as t (name, outcome, jobs, seconds, rows, le)
select
  name, $2, 1, $6::double precision, $7,
  array[($6::double precision <= 0.1)::int, ($6 <= 1)::int, ($6 <= 10)::int, ($6 <= 60)::int, ($6 <= 600)::int, 1]::bigint[]
from finished
on conflict (name, outcome) do update
set
  jobs = t.jobs + 1,
  seconds = t.seconds + excluded.seconds,
  rows = t.rows + excluded.rows,
  le = array(select a + b from unnest(t.le, excluded.le) with ordinality as u (a, b, i) order by i)
