-- expanding: lists have the text of their letters
-- Null for the letter that Plat suggests.
alter table lists add column letter text check (char_length(letter) <= 6000);
