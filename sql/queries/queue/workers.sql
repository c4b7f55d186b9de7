-- name: delete_worker
-- Deletes a worker that is stopping.
delete from workers
where id = :id

-- name: end_dead_workers
-- Deletes workers with expired leases and ends their database sessions. `sessions`: prefix of the workers'
-- session names, before the id
with dead as (
  delete from workers
  where alive_until <= clock_timestamp()
  returning id, name
),
counted as (
  insert into event_totals as t (name, total)
  select 'worker_deaths', count(*) from dead having count(*) > 0
  on conflict (name) do update set total = t.total + excluded.total
)
select d.name, count(a.pid) filter (where pg_terminate_backend(a.pid))::int as sessions
from dead d
left join pg_stat_activity a on a.datname = current_database() and a.application_name = :sessions || d.id
group by d.id, d.name

-- name: renew_worker
-- Renews a worker's lease. Returns whether it was still valid.
with before as (
  select alive_until from workers where id = :id
)
insert into workers as w (id, name, alive_until)
values (:id, :name, clock_timestamp() + make_interval(secs => :lock_ms::double precision / 1000))
on conflict (id) do update set alive_until = excluded.alive_until
returning coalesce((select b.alive_until > clock_timestamp() from before b), false) as unbroken

-- name: summarise_workers
-- The number of live workers, and of worker deaths since the installation started.
select
  (select count(*)::int from workers where alive_until > clock_timestamp()) as workers,
  coalesce((select total from event_totals where name = 'worker_deaths'), 0) as deaths
