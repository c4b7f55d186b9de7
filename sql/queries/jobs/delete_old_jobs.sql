-- Finished jobs are kept for 90 days; their totals for good.
delete from jobs
where status in ('done', 'failed') and finished_at < now() - interval '90 days'
