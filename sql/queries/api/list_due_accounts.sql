-- Accounts whose period is over, the longest first, a bounded number of them. No parameters.
select id from accounts where period_end <= now() order by period_end limit 1000;
