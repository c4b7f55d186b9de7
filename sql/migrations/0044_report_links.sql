-- expanding: a report keeps its link
-- The token in the link, to show the link again. Null for links of earlier releases.
alter table comp_reports add column share_token text;
