import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { wordPatterns, wordsOf, wordsSql } from '../../shared/kernels/owner/owner-words.ts';
import { createTestDatabase } from '../support/database.ts';
import { containsAnyWord } from '../support/owner-words.ts';
import { runs } from '../support/runs.ts';

const db = await createTestDatabase();
await db.pool.query('create table named (n serial primary key, name text)');

/** Names are put into a table: the planner must not fold the expression. */
async function ask<T>(names: readonly (string | null)[], expression: string, parameters: unknown[] = []) {
  await db.pool.query('truncate named restart identity');
  await db.pool.query('insert into named (name) select unnest($1::text[])', [names]);
  const { rows } = await db.pool.query<{ value: T }>(
    `select ${expression} as value from named order by n`,
    parameters,
  );
  return rows.map(row => row.value);
}

const inSql = (names: readonly (string | null)[]) => ask<string | null>(names, wordsSql('name'));
/** What the table of the words of addresses is made by. */
const inTable = (names: readonly string[]) =>
  ask<string>(names, "' ' || regexp_replace(btrim(plain_words(name), ' '), ' +', ' ', 'g') || ' '");
const inKernel = (names: readonly string[]) => names.map(name => ` ${wordsOf(name)} `);

/** PostgreSQL's text has neither U+0000 nor lone surrogates. */
const isStorable = (text: string) => Buffer.from(text).toString() === text && !text.includes('\0');

describe('words in SQL are those of the kernel', () => {
  test('for every character of the basic plane up to U+3000', async () => {
    const names = Array.from({ length: 0x3000 }, (_, code) => `a${String.fromCharCode(code)}b`).filter(
      isStorable,
    );
    expect(await inSql(names)).toEqual(inKernel(names));
    expect(await inTable(names)).toEqual(inKernel(names));
  });

  test('for names with any marks and spaces', async () => {
    const mark = fc.constantFrom(
      ' ',
      '  ',
      "'",
      '’',
      ', ',
      '.',
      '-',
      '\\',
      '%',
      '_',
      '\t',
      '\u0001',
      'é',
      'ß',
      '𝒜',
    );
    const name = fc.array(fc.oneof(mark, fc.string({ unit: 'binary', maxLength: 6 })), { maxLength: 10 });
    const names = fc
      .sample(name, { numRuns: runs(5000), seed: 7 })
      .map(parts => parts.join(''))
      .filter(isStorable);
    expect(names.length).toBeGreaterThan(runs(2000));
    expect(await inSql(names)).toEqual(inKernel(names));
  });

  test('no words give nothing, and unknown stays unknown', async () => {
    expect(await inSql(['', ' - ', null])).toEqual(['  ', '  ', null]);
  });
});

describe('the predicate finds what the kernel finds', () => {
  const names = [
    'SMITH, JOHN',
    'Smithson',
    "O'NEIL PAT",
    'ACME L.L.C.',
    'R & B  LAND',
    '100% LAND',
    'A_B',
    'MÜLLER',
    '',
  ];
  const predicate = `${wordsSql('name')} like any ($1::text[])`;

  test.each([
    [['smith']],
    [['SMITH  JOHN']],
    [['john smith']],
    [['oneil', 'muller']],
    [['l.l.c.']],
    [['r&b']],
    [['%']],
    [['_']],
    [['100']],
    [['a_b', '']],
    [[]],
  ])('%j', async words => {
    const found = await ask<boolean>(names, predicate, [wordPatterns(words)]);
    expect(found).toEqual(names.map(name => containsAnyWord(name, words)));
  });

  test('is unknown for an unknown name', async () => {
    expect(await ask([null], predicate, [wordPatterns(['smith'])])).toEqual([null]);
  });
});
