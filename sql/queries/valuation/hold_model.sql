-- Holds a new model back until the transaction ends. A lock of the table, not of its row: those who wait for it stand in a
-- queue, so that a new model gets its turn between two counties.
lock table valuation_model in share mode
