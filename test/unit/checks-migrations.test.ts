import { expect, test } from 'vitest';
import { checkMigrations } from '../../tools/checks/migrations.ts';

const faultsOf = (text: string, name = '0025_new.sql') =>
  checkMigrations([{ path: `sql/migrations/${name}`, text }]);

test.each([
  'alter table parcels add column soil text;',
  '-- Adds soil.\nalter table parcels add column soil text;',
  '-- expanding:\nalter table parcels add column soil text;',
])('a first line that does not say the kind is refused: %s', text => {
  expect(faultsOf(text)).toMatchObject([expect.stringMatching(/-- expanding.*-- breaking/)]);
  expect(faultsOf(text, '0024_old.sql')).toEqual([]);
});

test.each([
  'drop table notes;',
  'alter table notes drop column text;',
  'alter table notes rename column text to body;',
  'alter table notes alter column text set not null;',
  'alter table notes alter column text type int using text::int;',
  'alter table notes alter n set data type bigint;',
  'alter table notes\n  add column a text default 1,\n  add column b text not null;',
])('an expanding migration that plainly breaks is refused, a breaking one is not: %s', statement => {
  expect(faultsOf(`-- expanding: notes\n${statement}`)).toHaveLength(1);
  expect(faultsOf(`-- breaking: notes\n${statement}`)).toEqual([]);
});

test.each([
  'alter table notes add column text text, add column n int not null default 0;',
  'alter table notes add column n int generated always as identity not null;',
  'create table types (id int primary key, text text not null);',
  'alter table notes drop constraint notes_check, add constraint notes_check check (n > 0); -- drop table',
  'drop index notes_text;',
])('what the release before works with is expanding: %s', statement => {
  expect(faultsOf(`-- expanding: notes\n${statement}`)).toEqual([]);
});
