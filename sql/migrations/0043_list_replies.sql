-- expanding: what owners ask for, deals that come from a list, and the cost of letters
-- The price that the owner asked for, in dollars.
alter table list_rows add column price_asked bigint check (price_asked > 0);
-- The deal that the row became.
alter table list_rows add column deal_id uuid references deals (id) on delete set null;
create index list_rows_deal on list_rows (deal_id) where deal_id is not null;

-- What a letter costs, in cents. Null if unknown.
alter table lists add column letter_cents int check (letter_cents > 0);
