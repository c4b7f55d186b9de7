-- expanding: deals start under contract, before the lot is for sale
alter table deals drop constraint deals_status_check;
alter table deals add constraint deals_status_check
  check (status in ('under_contract', 'listed', 'offer_received', 'offer_accepted', 'in_title', 'sold', 'on_hold', 'canceled', ''));
