-- expanding: the files of pages, so that processes of two releases serve each other's
-- Scripts, styles, fonts and images of the web app's pages, by the address with the hash of their content.
-- During an upgrade a process may be asked for what a page of another release loads.
create table assets (
  path text primary key,
  type text not null,
  body bytea not null,
  -- When a process that uses it last started.
  stored_at timestamptz not null default now()
);
