import pg from 'pg';
import { describe, expect, test } from 'vitest';
import { ApiDb } from '../../../api/http/database.ts';
import { toApiError } from '../../../api/http/error-responses.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { ERROR_STATUSES, PlatError } from '../../../shared/platform/errors.ts';

function failing(error: unknown): Db {
  return new ApiDb(Object.assign(new pg.Pool(), { query: () => Promise.reject(error) }), new pg.Pool());
}

describe('errors of the database', () => {
  test.each([
    '57014',
    '57P01',
    '57P03',
    '08006',
    '53300',
    '53100',
    '40001',
    '40P01',
    '55P03',
    '25006',
    '28P01',
    'ECONNREFUSED',
    'ENOTFOUND',
    undefined,
  ])('%s means that it can be tried again: 503', async code => {
    const error = await failing(Object.assign(new Error('secret detail'), { code }))
      .run('accounts/read_job_totals')
      .catch(toApiError);
    expect(error).toMatchObject({ code: 'internal_error', status: 503, headers: { 'Retry-After': '5' } });
    expect((error as PlatError).message).not.toContain('secret');
  });

  test.each(['42P01', '22P02', '23505', 'XX000'])('%s is a fault of the program: 500', async code => {
    const error = await failing(Object.assign(new Error('secret detail'), { code }))
      .run('accounts/read_job_totals')
      .catch(toApiError);
    expect(error).toMatchObject({ code: 'internal_error', status: 500 });
    expect((error as PlatError).message).not.toContain('secret');
  });
});

test('an error from another part of the program is not shown to clients', () => {
  const shown = toApiError(
    new PlatError('config', 'DATABASE_URL is postgres://user:secret@host', { status: 400 }),
  );
  expect(shown).toMatchObject({ code: 'internal_error', status: 500 });
  expect(shown.message).not.toContain('secret');
});

test('the codes and statuses are those documented', () => {
  const listed = Object.entries(ERROR_STATUSES).map(([code, statuses]) => `${code} ${statuses.join(' ')}`);
  expect(listed.sort()).toEqual([
    'forbidden 403',
    'internal_error 500 503',
    'method_not_allowed 405',
    'not_found 404 410 421',
    'payment_method_required 402',
    'payment_required 402',
    'rate_limited 429',
    'subscription_required 402',
    'tier_upgrade_required 402',
    'unauthorized 401',
    'unprocessable 422 409',
    'usage_backstop_reached 402',
    'usage_limit_exceeded 402',
    'validation_error 400 416',
  ]);
});
