-- Totals of finished jobs since the installation began.
select name, outcome, jobs, seconds, rows, le from job_totals order by name, outcome;
