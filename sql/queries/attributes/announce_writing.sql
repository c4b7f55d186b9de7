-- Says that marks will be written. Before any of them is held: a plan locks the table against writers, and one that came
-- between the holding and the writing would wait for the marks held, and be waited for.
lock table attributes_dirty in row exclusive mode
