import { z } from 'zod';
import { PRICES } from '../../../shared/model/prices.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import type { Db } from '../../../shared/platform/db.ts';
import {
  MAX_COUNTIES,
  MAX_MEMBERS,
  MAX_SEARCHES,
  NOTIFY,
  type Notify,
} from '../../../shared/searches/search-terms.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { notFound, rateLimited, unprocessable, validationError } from '../../http/error-responses.ts';
import { makeOnce } from '../../http/make-once.ts';
import { defineEndpoint, type Resources } from '../common/endpoint-resources.ts';
import { inField } from '../common/in-field.ts';
import { line } from '../common/request-schemas.ts';
import { filterBody, sentFilter } from '../parcels/filter/filter-body.ts';
import { countForQuote, countiesOf } from '../parcels/filter/filter-count.ts';
import {
  findSearch,
  listRows,
  NO_SEARCH,
  SEARCH_EXAMPLE,
  SEARCHES_PATH,
  savedSearch,
  searchParams,
  toSearch,
} from './search-schema.ts';

const common = { tag: 'Saved searches' } as const;

const fields = {
  notify: z
    .enum(NOTIFY, `must be one of ${NOTIFY.join(', ')}`)
    .optional()
    .describe('When Plat sends emails. Default: `none`.'),
  emails: z
    .array(z.string('must be an email address'))
    .max(100, 'must be at most 100 addresses')
    .optional()
    .describe('Email addresses of the users in your company to notify.'),
  webhook_id: z
    .uuid('must be the id of a webhook')
    .nullish()
    .describe("Id of one of your company's webhooks to notify."),
};
const name = line(200, 'must be text').refine(text => text.trim() !== '', 'must not be empty');

const newSearch = z.strictObject({ name, filter: sentFilter, ...fields }).meta({
  id: 'NewSavedSearch',
  example: {
    name: SEARCH_EXAMPLE.name,
    filter: SEARCH_EXAMPLE.filter,
    notify: 'daily',
    emails: SEARCH_EXAMPLE.emails,
  },
});
const searchChange = z
  .strictObject({ name: name.optional(), filter: sentFilter.optional(), ...fields })
  .meta({
    id: 'SavedSearchChange',
    description: 'Omitted fields keep their values.',
    example: { notify: 'at_once' },
  });

type Told = {
  notify?: Notify | undefined;
  emails?: string[] | undefined;
  webhook_id?: string | null | undefined;
};

/**
 * The ids of the users to email.
 * @throws PlatError `validation_error` for users or webhooks that belong to others
 */
async function readersOf(db: Db, companyId: string, { emails, webhook_id }: Told): Promise<string[]> {
  const wanted = [...new Set((emails ?? []).map(email => email.trim().toLowerCase()))];
  const users = await db.run<{ id: string; email: string }>('searches/list_named_users', {
    company_id: companyId,
    emails: wanted,
  });
  const unknown = wanted.filter(email => !users.some(user => user.email.toLowerCase() === email));
  if (unknown.length > 0)
    throw validationError({
      emails: [`must be emails of users in your company. Not found: ${unknown.join(', ')}`],
    });
  if (webhook_id != null) {
    const known = await db.run('searches/find_webhook', { webhook_id, company_id: companyId });
    if (known.length === 0) throw validationError({ webhook_id: ["is not one of your company's webhooks"] });
  }
  return users.map(({ id }) => id);
}

/** Scopes that Plat can't follow by reading a county's changes. */
const NOT_FOLLOWED = {
  owner_parcel_id: 'searches all counties, so Plat cannot track it. Use counties and the owner name instead',
  list_id: 'cannot be tracked. Use the counties in the list, or read the list',
};

type Found = { counties: number[]; seq: number; ids: number[] };

/**
 * The current matches of a filter, which Plat then follows. This counts as a quote, because it reveals the
 * number of matches.
 * @throws PlatError `validation_error`, `rate_limited`, or `unprocessable` if there are too many matches
 */
async function find(filter: object, { db }: Resources, call: CallContext): Promise<Found> {
  const body = filterBody.parse(filter) as FilterBody;
  for (const [name, why] of Object.entries(NOT_FOLLOWED))
    if (body[name] !== undefined) throw validationError({ [`filter.${name}`]: [why] });
  const { tokens } = await inField('filter', () => countForQuote(body, db, call));
  if (tokens > 0)
    throw rateLimited(
      `The account has used its ${PRICES.quote.freePerDay} free quotes for today, and saving a search needs one. Try again tomorrow (UTC).`,
      3_600,
    );
  const counties = await countiesOf(body, db, call.work);
  if (counties.length > MAX_COUNTIES)
    throw validationError({
      filter: [`searches ${counties.length} counties, but a saved search can have up to ${MAX_COUNTIES}`],
    });
  // Read this before the parcels, so that changes made in between are processed again.
  const [head] = await db.run<{ head: number }>('changes/get_head');
  const { from, where, values } = await selectParcels(body, { asOf: call.now, work: call.work }, db);
  const rows = await db.run<{ property_id: number }>('searches/find_members', values, {
    from,
    where: `${where}\n  limit ${MAX_MEMBERS + 1}`,
  });
  if (rows.length > MAX_MEMBERS)
    throw unprocessable(
      `The filter matches more than ${MAX_MEMBERS.toLocaleString('en-US')} parcels. Add filters, or keep a copy with changes/.`,
    );
  return { counties, seq: head!.head, ids: rows.map(({ property_id }) => property_id) };
}

export const listSearches = defineEndpoint({
  ...common,
  path: SEARCHES_PATH,
  operationId: 'list_searches',
  summary: 'List saved searches',
  description: "Returns your company's saved searches, oldest first, including who gets notified.",
  response: {
    description: `All saved searches, up to ${MAX_SEARCHES}. The list is not paged.`,
    schema: z.array(savedSearch),
    example: { summary: 'One search', value: [SEARCH_EXAMPLE] },
  },
  handle: async (_input, { db }, { account, work }) => {
    const rows = await listRows(db, account.companyId);
    return { body: await Promise.all(rows.map(row => toSearch(row, work))), tokens: 0 };
  },
});

const TOO_MANY = `Your company already has ${MAX_SEARCHES} saved searches. Delete one first.`;
const TOO_MUCH = `${TOO_MANY} Or the filter matches more than ${MAX_MEMBERS.toLocaleString('en-US')} parcels, or its shape is too complex.`;

export const createSearch = defineEndpoint({
  ...common,
  method: 'post',
  path: SEARCHES_PATH,
  operationId: 'create_search',
  summary: 'Save a search',
  description: `Saves a filter and tracks its matches: which parcels are added, removed, and changed. Plat can email users in your company, daily or instantly, and notify a webhook.\n\nPrograms can read \`searches/{id}/changes/\`. A filter can search up to ${MAX_COUNTIES} counties and match up to ${MAX_MEMBERS.toLocaleString('en-US')} parcels. A company can save ${MAX_SEARCHES} searches. Saving one uses one of the ${PRICES.quote.freePerDay} free quotes per day.`,
  body: newSearch,
  response: {
    status: 201,
    description: 'The saved search.',
    schema: savedSearch,
    location: ({ id }) => `${SEARCHES_PATH}${id}/`,
    example: { summary: 'A new search', value: SEARCH_EXAMPLE },
  },
  errors: { unprocessable: TOO_MUCH },
  handle: async ({ body }, resources, call) => {
    const { companyId } = call.account;
    const readers = await readersOf(resources.db, companyId, body);
    const { counties, seq, ids } = await find(body.filter, resources, call);
    const id = await makeOnce(resources.db, call, async tx => {
      await tx.run('accounts/lock_company', { company_id: companyId });
      const [counted] = await tx.run<{ searches: number }>('searches/count_searches', {
        company_id: companyId,
      });
      if (counted!.searches >= MAX_SEARCHES) throw unprocessable(TOO_MANY);
      const [row] = await tx.run<{ id: string }>('searches/insert_search', {
        company_id: companyId,
        account_id: call.account.id,
        name: body.name.trim(),
        filter: JSON.stringify(body.filter),
        counties,
        notify: body.notify ?? 'none',
        webhook_id: body.webhook_id ?? null,
        seq,
      });
      await tx.run('searches/add_members', { search_id: row!.id, property_ids: ids });
      await tx.run('searches/set_readers', { search_id: row!.id, user_ids: readers });
      return row!.id;
    });
    return {
      body: await toSearch(await findSearch(resources.db, companyId, id), call.work),
      tokens: 0,
    };
  },
});

const one = {
  ...common,
  path: `${SEARCHES_PATH}{id}/`,
  params: searchParams,
  errors: { not_found: NO_SEARCH },
} as const;

const answer = {
  description: 'The saved search.',
  schema: savedSearch,
  example: { summary: 'A search', value: SEARCH_EXAMPLE },
} as const;

export const getSearch = defineEndpoint({
  ...one,
  operationId: 'get_search',
  summary: 'Get a saved search',
  description: 'Returns a saved search: its filter, who gets notified, and how many parcels match.',
  response: answer,
  handle: async ({ params }, { db }, { account, work }) => {
    const row = await findSearch(db, account.companyId, params.id);
    return { body: await toSearch(row, work), tokens: 0 };
  },
});

export const changeSearch = defineEndpoint({
  ...one,
  method: 'patch',
  operationId: 'update_search',
  summary: 'Update a saved search',
  description:
    'Changes the name or filter of a saved search, or who gets notified. Existing matches of a new filter are not reported as added. Plat tracks them from now on.',
  body: searchChange,
  response: {
    ...answer,
    example: { summary: 'The example request', value: { ...SEARCH_EXAMPLE, notify: 'at_once' } },
  },
  errors: { not_found: NO_SEARCH, unprocessable: TOO_MUCH },
  handle: async ({ params: { id }, body }, resources, call) => {
    const { db } = resources;
    const { companyId } = call.account;
    const before = await findSearch(db, companyId, id);
    const readers = await readersOf(db, companyId, {
      ...body,
      emails: body.emails ?? before.emails,
    });
    const found = body.filter && (await find(body.filter, resources, call));
    const changed = await db.transaction(async tx => {
      await tx.run('searches/update_search', {
        search_id: id,
        company_id: companyId,
        name: body.name?.trim() ?? before.name,
        filter: JSON.stringify(body.filter ?? before.filter),
        counties: found?.counties ?? before.counties,
        notify: body.notify ?? before.notify,
        webhook_id: body.webhook_id === undefined ? before.webhook_id : body.webhook_id,
        seq: found?.seq ?? null,
      });
      await tx.run('searches/set_readers', { search_id: id, user_ids: readers });
      if (before.notify === 'none') await tx.run('searches/skip_mails', { search_id: id });
      if (found !== undefined) {
        await tx.run('searches/clear_members', { search_id: id });
        await tx.run('searches/add_members', { search_id: id, property_ids: found.ids });
      }
      return findSearch(tx, companyId, id);
    });
    return { body: await toSearch(changed, call.work), tokens: 0 };
  },
});

export const deleteSearch = defineEndpoint({
  ...one,
  method: 'delete',
  operationId: 'delete_search',
  summary: 'Delete a saved search',
  description: 'Deletes a saved search for everyone in your company and stops its notifications.',
  response: { status: 204, description: 'The search was deleted.' },
  handle: async ({ params: { id } }, { db }, { account }) => {
    const ids = { search_id: id, company_id: account.companyId };
    const gone = await db.run('searches/delete_search', ids);
    if (gone.length === 0) throw notFound(NO_SEARCH);
    return { body: null, tokens: 0 };
  },
});
