-- What is known of telephone numbers, whosever they are.

-- Blocks of the numbering plan and whose lines they are.
create table number_blocks (
  -- Area code and exchange.
  prefix int not null check (prefix between 200000 and 999999),
  -- The thousand-block, -1 for the whole exchange.
  block smallint not null check (block between -1 and 9),
  feed_id int not null references feeds (id),
  operator text,
  line_type text check (line_type in ('Mobile', 'Landline')),
  row_hash uuid not null,
  primary key (prefix, block, feed_id)
);

-- The Do Not Call registry: a bit for each number of an area code and exchange, the last four digits counting from 0.
create table dnc_numbers (
  prefix int primary key,
  bits bytea not null check (length(bits) = 1250)
);
-- Random bits do not compress, and 1,250 bytes fit into the page: reading one is reading one page.
alter table dnc_numbers alter column bits set storage plain;

-- Of which area codes the registry is known, and as of which day.
create table dnc_areas (
  area_code smallint primary key,
  edition date not null,
  numbers int not null,
  feed_id int not null references feeds (id),
  changed_run bigint not null
);
