-- Says anew which of some sales are outliers.
-- $1 the sales uuid[], $2 those of them that are uuid[]
with kept as (
  delete from valuation_outliers where listing_id = any ($1::uuid[]) and listing_id <> all ($2::uuid[])
)
insert into valuation_outliers (listing_id)
select unnest($2::uuid[])
on conflict do nothing
