-- The sales that the last fit left out.
select listing_id as id from valuation_outliers
