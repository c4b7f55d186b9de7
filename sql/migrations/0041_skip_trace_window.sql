-- Skip traces are at most so many in any sliding minute: a bucket that refills let twice as many through. The moments of the last
-- ones in place of the bucket's level, the oldest first; older ones than a minute are dropped with the next skip trace.
alter table rate_buckets drop column skip_trace_level;
alter table rate_buckets add column skip_traces timestamptz[] not null default '{}';
