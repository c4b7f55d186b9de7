-- name: list_kept_names
-- Names and addresses in the copies of parcels that were stored before runs changed them, in run order.
-- Limited to one run, or to names that match one of the `patterns`. `run_id` and `patterns` may be null.
select
  k.run_id, k.fips, k.property_id, w.owner_name, w.owner_name_2, w.seller_name, w.mail_address, w.mail_city, w.mail_state,
  w.mail_zip, w.situs_address, w.situs_city, w.situs_state, w.situs_zip
from undo_parcels k
cross join lateral jsonb_to_record(k.was) as w (
  owner_name text, owner_name_2 text, seller_name text, mail_address text, mail_city text, mail_state text, mail_zip text,
  situs_address text, situs_city text, situs_state text, situs_zip text
)
where (k.run_id, k.property_id) > (:after_run::bigint, :after_parcel::bigint)
  and (:run_id::bigint is null or k.run_id = :run_id)
  and k.was ?| '{owner_name,owner_name_2,seller_name}'
  and (
    :patterns::text[] is null
    or fold_name(concat_ws(' ', w.owner_name, w.owner_name_2, w.seller_name)) like any (:patterns)
  )
order by k.run_id, k.property_id
limit :limit

-- name: erase_kept_names
-- Erases fields in the copies of parcels that were stored before runs changed them. `fields`: names separated
-- by commas. The stored digest changes too, so that if the run is undone, the next run of the roll writes the
-- parcels again.
update undo_parcels k
set was = (k.was - string_to_array(e.fields, ',')) || jsonb_build_object('roll_hash', gen_random_uuid())
from unnest(:run_ids::bigint[], :property_ids::bigint[], :fields::text[]) as e (run_id, property_id, fields)
where k.run_id = e.run_id and k.property_id = e.property_id
