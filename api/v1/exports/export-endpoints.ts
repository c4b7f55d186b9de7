import { z } from 'zod';
import { holdTokens, readQuota } from '../../../shared/accounts/held-tokens.ts';
import { quotaError } from '../../../shared/accounts/quota-error.ts';
import { cancelExport, errorOf, HIDDEN_PRICE, overCeiling } from '../../../shared/exports/end-export.ts';
import { OVERLAY_COLUMN } from '../../../shared/exports/export-columns.ts';
import {
  EXPORT_KEY,
  type ExportRequest,
  KEPT_DAYS,
  makeExport,
  mostRows,
} from '../../../shared/exports/export-request.ts';
import { listOverlays } from '../../../shared/land/overlay-feeds.ts';
import { PRICES, priceText } from '../../../shared/model/prices.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { filterSchema } from '../../../shared/parcels/filter/filter-schema.ts';
import type { Db } from '../../../shared/platform/db.ts';
import { enqueueAndNotify } from '../../../shared/platform/queue/jobs.ts';
import type { CallContext } from '../../http/endpoint.ts';
import { conflict, notFound, rateLimited, validationError } from '../../http/error-responses.ts';
import type { Quote } from '../../http/quote.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { countForQuote, spendQuote } from '../parcels/filter/filter-count.ts';
import { MIN_DISCLOSED_COUNT } from '../parcels/filter/withhold-counts.ts';
import {
  EXPORT_EXAMPLE,
  type Export,
  exported,
  listExportRows,
  MOST_LISTED,
  newExport,
  type Reading,
  toExports,
} from './export-schema.ts';
import { type ExportPrice, priceExport } from './price-export.ts';

const PATH = '/api/public/v1/exports/';

/** Maximum number of exports that a company can run at once. */
const MOST_AT_ONCE = 3;

const common = { tag: 'Exports' } as const;
const UNFINISHED = {
  ...EXPORT_EXAMPLE,
  rows: null,
  free_rows: null,
  tokens: null,
  parts: [],
  url: null,
  credits_url: null,
  expires_at: null,
};

const params = z.object({ id: z.uuid('must be a UUID').describe('Id of the export.') });
const NOT_FOUND = 'Your company has no export with this id.';
const OVER = 'The export is ready, failed, or expired, so it cannot be canceled.';
const STILL_RUNS = 'The export is still in progress. Cancel it first.';

export const createExport = defineEndpoint({
  ...common,
  method: 'post',
  path: PATH,
  operationId: 'create_export',
  summary: 'Create an export',
  description: `Creates a file of parcels that match a filter, the rows of a list, comps, or market statistics. Returns immediately. \`GET exports/{id}/\` shows
when the file is ready. A file can have up to 1,000,000 rows (10,000 for kml), and a company can run ${MOST_AT_ONCE} exports at once. Files do not include phone numbers.

Parcels are sorted by id, except in fgb and geoparquet. Each
county is read at one point in time. Plat reserves the highest possible price at the start, and charges once when the file is ready.

With \`quote=true\`, the call counts as a filter quote: ${priceText(PRICES.quote)}. Quotes of markets, and of filters that can't be quoted, are free.`,
  body: newExport,
  metering: {
    key: EXPORT_KEY,
    price: [PRICES.exportRows, PRICES.exportMarkets],
    note: 'charged when the file is ready; free for unchanged data that your company paid for in an export or a list in the last 30 days',
    mayBeFree: true,
    atMost: ({ body }) => mostRows(body.format),
    quote: async ({ body }, { db }, call) => quoteExport(body as ExportRequest, db, call),
  },
  response: {
    status: 202,
    description: 'The export. A worker will start it.',
    schema: exported,
    location: body => `${PATH}${body.id}/`,
    example: {
      summary: 'A queued export',
      value: { ...UNFINISHED, state: 'queued' },
    },
  },
  errors: {
    unprocessable:
      "The filter's shape has more than 10,000 vertices or too many long edges, or its outline crosses too many parcels.",
  },
  handle: async ({ body }, { db, files }, call) => {
    const request = body as ExportRequest;
    requireDisclosableCeiling(request, call);
    await requireOverlayColumns(db, request);
    const price = await priceExport(db, call.account.companyId, request, call);
    const id = await addExport(db, { request, price, call });
    return { body: await findExport({ db, files }, call, id), tokens: 0 };
  },
});

/** Whether a small number of rows is paid data. The number of markets is free. */
const isCountSold = ({ markets }: ExportRequest, { user }: Pick<CallContext, 'user'>): boolean =>
  markets === undefined && user === undefined;

/**
 * Rejects a maximum that is too small. An order that fails because of its maximum is free, and would reveal a
 * count that quotes hide. Signed-in users see counts on the map anyway.
 * @throws PlatError `validation_error`
 */
function requireDisclosableCeiling(request: ExportRequest, call: CallContext): void {
  const { most_tokens: most } = request;
  if (!isCountSold(request, call) || most === undefined || most >= MIN_DISCLOSED_COUNT) return;
  const why = `must be ${MIN_DISCLOSED_COUNT} or more. Omit it if ?quote=true returns at_most ${MIN_DISCLOSED_COUNT}`;
  throw validationError({ most_tokens: [why] });
}

/** @throws PlatError `validation_error` for a column of an overlay that isn't loaded */
async function requireOverlayColumns(db: Db, { columns = [] }: ExportRequest): Promise<void> {
  const names = columns.flatMap(column => OVERLAY_COLUMN.exec(column)?.[1] ?? []);
  if (names.length === 0) return;
  const loaded = (await listOverlays(db)).map(({ name }) => name);
  const unknown = names.find(name => !loaded.includes(name));
  if (unknown === undefined) return;
  const which = loaded.length === 0 ? 'No overlay is loaded' : `Loaded: ${loaded.join(', ')}`;
  throw validationError({ columns: [`overlay ${unknown} is not loaded. ${which}`] });
}

/** Counts of parcels, comps, and owners are hidden if they are below 25. */
async function quoteExport(request: ExportRequest, db: Db, call: CallContext) {
  requireDisclosableCeiling(request, call);
  const { rows, tokens, bound } = await priceExport(db, call.account.companyId, request, call);
  const exact: Quote = { tokens, at_most: tokens };
  if (request.markets !== undefined) return { body: exact, tokens: 0 };
  if (request.filter === undefined) {
    const isDisclosed = bound === null && rows >= MIN_DISCLOSED_COUNT;
    const body: Quote = isDisclosed ? exact : { tokens: null, at_most: bound ?? MIN_DISCLOSED_COUNT };
    return { body, tokens: await spendQuote(db, call) };
  }
  const filter = filterSchema.parse(request.filter) as FilterBody;
  const { counts, tokens: price } = await countForQuote(filter, db, call);
  if (counts === null) return { body: { tokens: null, at_most: mostRows(request.format) }, tokens: price };
  const isDisclosed = counts.count !== null && rows >= MIN_DISCLOSED_COUNT;
  return {
    body: isDisclosed ? exact : { tokens: null, at_most: counts.count ?? MIN_DISCLOSED_COUNT },
    tokens: price,
  };
}

type NewExport = { request: ExportRequest; price: ExportPrice; call: CallContext };

async function addExport(
  db: Db,
  { request, price, call: { account, mode, now, idempotencyKey, user } }: NewExport,
): Promise<string> {
  const { most_tokens: most } = request;
  // Neither a refusal nor the reserved amount may reveal a count that a quote hides.
  const isHidden = isCountSold(request, { user });
  const least = price.rows < MIN_DISCLOSED_COUNT ? MIN_DISCLOSED_COUNT : price.tokens;
  const tokens = isHidden ? (price.bound ?? least) : price.tokens;
  const refused = most !== undefined && tokens > most ? overCeiling(most) : undefined;
  return db.transaction(async tx => {
    // A company's orders run one at a time, so that the limit can't be exceeded.
    await tx.run('market/lock_company', { account_id: account.id });
    const order = {
      company_id: account.companyId,
      account_id: account.id,
      request: JSON.stringify(request),
      order_key: idempotencyKey ?? null,
      created_at: now,
    };
    const [before] = await tx.run<{ id: string }>('exports/find_ordered', order);
    if (before !== undefined) return before.id;
    const ids = { company_id: account.companyId };
    const [counted] = await tx.run<{ open: number }>('exports/count_open', ids);
    if (counted!.open >= MOST_AT_ONCE)
      throw rateLimited(
        `Your company already has ${MOST_AT_ONCE} exports in progress. Wait for one to finish.`,
        10,
      );
    const held = refused === undefined ? tokens : 0;
    if (held > 0 && !(await holdTokens(tx, account.id, held))) {
      const quota = await readQuota(tx, account.id);
      throw quotaError(quota, isHidden ? HIDDEN_PRICE : held, quota.left);
    }
    const [added] = await tx.run<{ id: string }>('exports/add_export', {
      ...order,
      mode,
      state: refused === undefined ? 'queued' : 'failed',
      held,
      error: refused === undefined ? null : JSON.stringify(errorOf(refused)),
    });
    const { id } = added!;
    if (refused === undefined) {
      const job = await enqueueAndNotify(tx, makeExport, { export: id });
      await tx.run('exports/set_job', { export_id: id, job_id: job });
    }
    return id;
  });
}

async function findExport(resources: Reading, call: CallContext, id: string): Promise<Export> {
  const rows = await listExportRows(resources.db, call.account.companyId, id);
  const [found] = await toExports(rows, resources, call);
  if (found === undefined) throw notFound(`Your company has no export ${id}.`);
  return found;
}

export const listExports = defineEndpoint({
  ...common,
  path: PATH,
  operationId: 'list_exports',
  summary: 'List exports',
  description: `Returns the newest ${MOST_LISTED} exports created by anyone in your company. Files are kept for ${KEPT_DAYS} days.`,
  response: {
    description: 'Exports, newest first. The list is not paged.',
    schema: z.array(exported),
    example: { summary: 'One export', value: [EXPORT_EXAMPLE] },
  },
  handle: async (_input, resources, call) => {
    const rows = await listExportRows(resources.db, call.account.companyId, null);
    return { body: await toExports(rows, resources, call), tokens: 0 };
  },
});

export const getExport = defineEndpoint({
  ...common,
  path: `${PATH}{id}/`,
  operationId: 'get_export',
  summary: 'Get an export and its parts',
  description:
    'Returns the state of an export. When the export is ready, the response includes the URLs of its parts. You can download them without an API key.',
  params,
  response: {
    description: 'The export.',
    schema: exported,
    example: { summary: 'A file that is ready', value: EXPORT_EXAMPLE },
  },
  errors: { not_found: NOT_FOUND },
  handle: async ({ params }, resources, call) => ({
    body: await findExport(resources, call, params.id),
    tokens: 0,
  }),
});

export const cancelRunningExport = defineEndpoint({
  ...common,
  method: 'post',
  path: `${PATH}{id}/cancel/`,
  operationId: 'cancel_export',
  summary: 'Cancel an export',
  description:
    'Cancels an export that is queued or running. A canceled export is free, and its reserved tokens are released. Canceling it again changes nothing.',
  params,
  response: {
    description: 'The export, now with the state `cancelled`.',
    schema: exported,
    example: { summary: 'Canceled', value: { ...UNFINISHED, state: 'cancelled' } },
  },
  errors: { not_found: NOT_FOUND, conflict: OVER },
  handle: async ({ params }, resources, call) => {
    await resources.db.transaction(async tx => {
      const canceled = await cancelExport(tx, params.id, call.account.companyId);
      if (canceled?.job_id) await tx.run('queue/cancel_job', { id: canceled.job_id, by: 'the company' });
    });
    const answer = await findExport(resources, call, params.id);
    if (answer.state !== 'cancelled') throw conflict(OVER);
    return { body: answer, tokens: 0 };
  },
});

export const deleteExport = defineEndpoint({
  ...common,
  method: 'delete',
  path: `${PATH}{id}/`,
  operationId: 'delete_export',
  summary: 'Delete an export',
  description:
    'Deletes an export that is ready, failed, canceled, or expired, with its file. If it is queued or running, cancel it first.',
  params,
  response: { status: 204, description: 'The export was deleted.' },
  errors: { not_found: NOT_FOUND, conflict: STILL_RUNS },
  handle: async ({ params }, { db }, { account }) => {
    const ids = { export_id: params.id, company_id: account.companyId };
    if ((await db.run('exports/delete_export', ids)).length === 0) {
      const [kept] = await listExportRows(db, account.companyId, params.id);
      throw kept === undefined ? notFound(`Your company has no export ${params.id}.`) : conflict(STILL_RUNS);
    }
    return { body: null, tokens: 0 };
  },
});
