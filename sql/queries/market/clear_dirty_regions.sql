-- Takes back the marks of regions whose statistics are written in the same transaction. One that was set again since it was
-- read stays: its listings changed after they had been read.
-- $1 types, $2 codes, $3 moments of the marks as they were read.
delete from stats_dirty d
using unnest($1::text[], $2::text[], $3::timestamptz[]) as m (type, code, marked_at)
where d.type = m.type and d.code = m.code and d.marked_at <= m.marked_at;
