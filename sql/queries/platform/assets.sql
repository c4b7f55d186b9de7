-- name: refresh_assets
-- Records that a release that uses these assets has started, and returns those already stored. Locks the rows
-- in path order, so that processes that start at the same time don't deadlock.
update assets a
set stored_at = now()
from (select path from assets where path = any (:paths::text[]) order by path for update) known
where a.path = known.path
returning a.path

-- name: store_asset
-- Stores an asset of this release.
insert into assets (path, type, body)
values (:path, :type, :body)
on conflict (path) do nothing

-- name: read_asset
-- An asset of any release that started within a year.
select path, type, body from assets where path = :path

-- name: delete_old_assets
-- Deletes assets of releases that last started over a year ago. Browsers cache assets for a year too.
delete from assets where stored_at < now() - interval '1 year'
