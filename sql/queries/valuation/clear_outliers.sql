-- Forgets which sales the last fit left out.
delete from valuation_outliers
