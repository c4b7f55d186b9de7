-- Responses of market statistics are compressed when they are sent, as all others are.
drop table packed_stats;
