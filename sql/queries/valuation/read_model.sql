-- The model that was fitted last.
select to_char(as_of, 'YYYY-MM-DD') as as_of, parameters from valuation_model
