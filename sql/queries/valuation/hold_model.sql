-- Holds a new model back until the transaction ends.
select from valuation_model for share
