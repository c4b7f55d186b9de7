-- expanding: people and numbers that a feed withholds
-- People and phone numbers that a feed says not to call, such as known litigators. HMACs in the format of
-- contact_suppressions. Their contacts stay stored, and are returned again once the feed no longer lists them.
create table withheld_contacts (
  feed_id int not null references feeds (id),
  hash bytea not null,
  -- What users see instead of the numbers.
  reason text not null,
  primary key (hash, feed_id)
);

create index withheld_contacts_feed on withheld_contacts (feed_id);
