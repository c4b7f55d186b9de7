-- Keeps every other plan, merge and chunk from writing marks until the transaction ends. For use before anything else is
-- locked, so that a plan, which writes them in the order of a curve, cannot wait for one that waits for it.
lock table attributes_dirty in share row exclusive mode
