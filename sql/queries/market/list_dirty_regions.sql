-- Regions whose listings changed since their statistics were computed; `known` is false for one that is not in `regions`.
-- The moment is text because a Date would lose its microseconds.
select d.type, d.code, d.marked_at::text as marked_at, r.code is not null as known
from stats_dirty d
left join regions r using (type, code);
