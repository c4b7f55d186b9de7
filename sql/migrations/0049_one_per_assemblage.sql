-- expanding: lists with one row per assemblage
-- Whether the list shows one row per assemblage: the largest parcel. At most one of this and one_per_owner.
alter table lists add column one_per_assemblage boolean not null default false;
