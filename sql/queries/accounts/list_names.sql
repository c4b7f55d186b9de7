-- Every name of a sort. $1 account, company or tier
select name from accounts where $1 = 'account'
union all select name from companies where $1 = 'company'
union all select name from tiers where $1 = 'tier';
