-- What a person has answered to an advice: held against until a day, or dismissed on one, until another action
-- is advised. A price set by hand and another stage end both.
alter table deals
  add column advice_held_until date,
  add column advice_dismissed_on date;

create or replace function record_deal_change() returns trigger language plpgsql as $function$
declare
  kept constant text[] := '{status,deal_type,purchase_price,agent_fee,misc_costs,closing_costs,expected_sell_price,contract_expiration_date,closing_date,price,fetch_status,listing_grade,price_advantage,traction_score,suggested_action,suggested_action_price,advice_held_until,advice_dismissed_on}';
  was constant jsonb := case when tg_op = 'INSERT' then '{}'::jsonb else to_jsonb(old) end;
  is_now constant jsonb := case when tg_op = 'DELETE' then '{}'::jsonb else to_jsonb(new) end;
  changed jsonb;
begin
  select jsonb_object_agg(field, jsonb_build_array(was ->> field, is_now ->> field)) into changed
  from unnest(kept) as field
  where was ->> field is distinct from is_now ->> field;
  if changed is null then
    return null;
  end if;
  insert into deal_events (deal_id, author, cause, changes, price, price_advantage, traction_score)
  values (
    (coalesce(is_now ->> 'id', was ->> 'id'))::uuid,
    coalesce(nullif(current_setting('plat.actor', true), ''), session_user),
    coalesce(nullif(current_setting('plat.cause', true), ''), 'edited'),
    changed, (is_now ->> 'price')::numeric, (is_now ->> 'price_advantage')::int, (is_now ->> 'traction_score')::int
  );
  return null;
end
$function$;

create or replace trigger record_deal_change
after insert or delete or update of
  status, deal_type, purchase_price, agent_fee, misc_costs, closing_costs, expected_sell_price, contract_expiration_date,
  closing_date, own_price, listed_price, fetch_status, listing_grade, price_advantage, traction_score, suggested_action, suggested_action_price, advice_held_until,
  advice_dismissed_on
on deals for each row execute function record_deal_change();
