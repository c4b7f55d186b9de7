-- Takes all marks back: everything is about to be valued anew.
delete from valuations_dirty
