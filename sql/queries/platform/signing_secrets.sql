-- name: list_signing_secrets
-- The secrets that sign the URLs of pictures and exports, newest first.
select secret
from image_secrets
order by id desc
limit 2

-- name: rotate_signing_secret
-- Adds a secret that signs all new URLs. The previous secret stays valid, and older ones are deleted.
with made as (
  insert into image_secrets default values
  returning id
)
delete from image_secrets
where id < (select max(id) from image_secrets)
