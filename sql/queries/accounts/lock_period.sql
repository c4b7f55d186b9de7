-- Keeps charges off the current period of an account that is locked, so that what it has used is what a change of its terms is
-- judged by. $1 account id
select from usage_periods p
join accounts a on a.id = p.account_id and a.period_start = p.period_start
where a.id = $1
for update of p;
