-- expanding: lists remember which rows were read, and what may be said about the others
-- When the company paid for the row, or was shown it; null until then. Rows from before keep null, and their
-- lists keep 'named'.
alter table list_rows add column read_at timestamptz;

-- What the API may say about rows that were not read. named: the company named these parcels itself, so
-- everything. counted: a filter found 25 or more, so their number. hidden: nothing, not even whether there are
-- any.
alter table lists add column unread_rows text not null default 'named' check (unread_rows in ('named', 'counted', 'hidden'));

-- For a hidden list, its rows if every addition had added the most it could. The row limit counts these, so
-- that an error at the limit does not reveal what was added.
alter table lists add column rows_at_most int;
alter table lists add constraint lists_hidden check (unread_rows <> 'hidden' or rows_at_most is not null);

-- Whether anyone ever marked an owner do_not_mail, and when rows were last set to mailed, even if no row
-- matched. After that, what is left out of an addition says who owns a parcel.
alter table companies add column has_marked_owners boolean not null default false;
alter table companies add column mailed_at timestamptz;

update companies c set has_marked_owners = true where exists (select from do_not_mail m where m.company_id = c.id);
update companies c set mailed_at = m.mailed_at
from (
  select l.company_id, max(r.mailed_at) as mailed_at
  from lists l
  join list_rows r on r.list_id = l.id and r.mailed_at is not null
  group by l.company_id
) m
where m.company_id = c.id;
