-- Jobs that nothing does any more; the counties they were for are marked, or valued with the daily run.
delete from jobs where name in ('valuation.fit', 'valuation.refresh') and status in ('queued', 'running');
