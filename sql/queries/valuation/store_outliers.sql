-- The sales that a fit left out.
-- $1 ids uuid[]
insert into valuation_outliers (listing_id) select unnest($1::uuid[])
