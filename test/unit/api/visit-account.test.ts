import { expect, test } from 'vitest';
import { callEndpoint, type Visit } from '../../../api/pages/frame/visit.ts';
import { listFilters } from '../../../api/v1/parcels/filter/list-filters.ts';

/** A visit of somebody whose account is `account`, and how often that was read. */
function visitOf(account: object | undefined) {
  const reads: string[] = [];
  const run = async (name: string) => {
    reads.push(name);
    return account === undefined ? [] : [account];
  };
  const visit = {
    session: { account: { id: 'one' }, user: { id: 'ana' } },
    deps: { db: { run }, now: () => new Date() },
    url: new URL('http://localhost/data'),
    apiUrl: '',
    appUrl: '',
  } as unknown as Visit;
  return { visit, reads };
}

test('a page that calls several endpoints reads its account once, and works without a Pro subscription', async () => {
  const { visit, reads } = visitOf({ id: 'one', pro: false, periodEnd: null });
  const answers = await Promise.all([callEndpoint(visit, listFilters), callEndpoint(visit, listFilters)]);
  answers.push(await callEndpoint(visit, listFilters));
  expect(answers).toHaveLength(3);
  expect(reads).toEqual(['accounts/read_account']);
});

test('nothing is returned without an account', async () => {
  const { visit } = visitOf(undefined);
  await expect(callEndpoint(visit, listFilters)).rejects.toMatchObject({ code: 'forbidden' });
});
