-- How many periods of an account are closed from one on, and when the current one began. $1 account id, $2 start of the first
select count(*) filter (where period_end is not null) as closed, max(period_start) as current from usage_periods
where account_id = $1 and period_start >= $2;
