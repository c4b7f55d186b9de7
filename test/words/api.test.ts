import { describe, expect, test } from 'vitest';
import { changeAccount } from '../../shared/accounts/contracts.ts';
import { newCaller, posting, startTestApi } from '../support/api.ts';
import { createTestDatabase } from '../support/database.ts';

/**
 * The error messages of the API. Other tests check codes, fields, and figures, so a sentence is reworded only
 * in its source and here.
 */
const db = await createTestDatabase({}, { sample: true });
const api = await startTestApi(db);
const { key } = await newCaller(db);
const V1 = '/api/public/v1';
const STATS = `${V1}/markets-stats/33019/stats/`;

type Refusal = { status: number; message: string; details: Record<string, string[]> | undefined };

async function refusalOf(path: string, options: RequestInit & { key?: string } = { key }): Promise<Refusal> {
  const { status, json } = await api.call(path, options);
  const { message, details } = (json as { error: Omit<Refusal, 'status'> }).error;
  return { status, message, details };
}

const filter = (body: unknown) => refusalOf(`${V1}/properties/filter/`, posting(key, JSON.stringify(body)));

describe('errors that the caller has to fix', () => {
  test.each<[path: string, field: string, words: string]>([
    ['comps/', 'fips', 'at least one of fips, point, zip, and polygon is required'],
    ['comps/?fips=99999', 'fips', 'No county has the FIPS code 99999.'],
    ['comps/?zip=99999', 'zip', 'No ZIP code 99999 exists.'],
    ['comps/?fips=33019&fips=33005', 'fips', 'must appear only once'],
    ['comps/?zip=03280&page_size=501', 'page_size', 'must be at most 500'],
    ['comps/?zip=03280&county=Sullivan', 'county', 'is not a known query parameter'],
    ['changes/?from=then', 'from', 'must be now'],
  ])('%s', async (path, field, words) => {
    expect(await refusalOf(`${V1}/${path}`)).toMatchObject({
      status: 400,
      details: { [field]: [expect.stringContaining(words)] },
    });
  });

  test('in a body', async () => {
    expect(await filter([])).toMatchObject({ details: { body: ['must be a JSON object'] } });
    expect(await filter({ county: '33019', page_size: 5 })).toMatchObject({
      details: { page_size: ['belongs in the query string: ?page_size=…'] },
    });
    expect(await filter({ county: '33019', geom_intersects: 'POINT (43.18 -72.1)' })).toMatchObject({
      details: { geom_intersects: [expect.stringContaining('seem to be swapped')] },
    });
    expect(await filter({ counties: [9001] })).toMatchObject({
      details: {
        counties: [
          '09001 was a county of Connecticut until 2022. Use planning region 09120, 09140, or 09190 instead.',
        ],
      },
    });
  });

  test('in a path', async () => {
    expect(await refusalOf(`${V1}/markets/7/`, { key, method: 'DELETE' })).toMatchObject({
      status: 404,
      message: 'Not found: id must be a UUID.',
    });
  });
});

describe('authorization', () => {
  test('an unknown key, or one without the scope', async () => {
    expect(await refusalOf(STATS, { key: `plat_${'a'.repeat(43)}` })).toMatchObject({
      status: 401,
      message: 'Unknown API key. Check that you sent the complete key.',
    });
    const other = await newCaller(db, {}, { scopes: ['api:mcp'] });
    expect(await refusalOf(STATS, { key: other.key })).toMatchObject({
      status: 403,
      message: 'This API key lacks the scope api:direct. Use a key that has it.',
    });
  });

  test('a disabled account', async () => {
    const { key: paused, accountId } = await newCaller(db);
    await changeAccount(db.pool, accountId, { disabled: true });
    expect(await refusalOf(STATS, { key: paused })).toMatchObject({
      status: 401,
      message: "The API key's account is disabled.",
    });
  });

  const overage = { overageAllowed: true, backstopTokens: 0 };
  test.each([
    [{ tokensIncluded: 0 }, 'No tokens are left in this period. Overage is turned off for the account.'],
    [
      { tokensIncluded: 9 },
      'The call needs 10 tokens, and 9 are left in this period. Overage is turned off for the account.',
    ],
    [
      { ...overage, tokensIncluded: 1 },
      'The call needs 10 tokens, and 1 is left in this period. Overage needs a payment method on file.',
    ],
    [
      { ...overage, tokensIncluded: 5, paymentMethod: true },
      "The call needs 10 tokens, and 5 are left before the account's overage limit for this period.",
    ],
    [
      { ...overage, tokensIncluded: 0, paymentMethod: true },
      'The account has reached its overage limit for this period.',
    ],
  ])('%j: what is left', async (account, message) => {
    const caller = await newCaller(db, account);
    expect(await refusalOf(STATS, { key: caller.key })).toMatchObject({ status: 402, message });
  });
});
