import { z } from 'zod';
import { countyOf } from '../../../shared/domain/property-id.ts';
import { filledUp } from '../../../shared/domain/roll-text.ts';
import { type ListRecord, MAX_ROWS } from '../../../shared/lists/list-terms.ts';
import { listParts } from '../../../shared/lists/read-list.ts';
import type { FilterBody } from '../../../shared/parcels/filter/declare-filter.ts';
import { type Asking, selectParcels } from '../../../shared/parcels/filter/select-parcels.ts';
import type { Database, Statements } from '../../http/database.ts';
import { notFound, unprocessable, validationError } from '../../http/error-responses.ts';
import { makeOnce } from '../../http/make-once.ts';
import { companyOf } from '../common/company.ts';
import { defineEndpoint } from '../common/endpoint-resources.ts';
import { requireKnownRegions } from '../common/known-regions.ts';
import { fips, line } from '../common/request-schemas.ts';
import { FILTER_EXAMPLE } from '../examples/examples.ts';
import { filterBody } from '../parcels/filter/filter-body.ts';
import { requireFilterRegions } from '../parcels/filter/filter-regions.ts';
import { findByApns } from '../parcels/find-parcels.ts';
import { findList, listParams, NO_LIST, ROWS_PATH } from './list-schema.ts';

/** Parcels that one call may name, some 140 kB. */
export const MAX_NAMED = 10_000;
/** Parcels that the filter of one call may find: some seconds of work. */
const MAX_FOUND = 200_000;
/** Parcels of one statement. */
const BATCH = 20_000;

const WAYS = ['filter', 'property_ids', 'apns'] as const;

const body = z
  .strictObject({
    filter: filterBody.optional().meta({ description: 'All that `properties/filter/` finds.' }),
    property_ids: z
      .array(z.int('must be a whole number').min(1, 'must be 1 or more'))
      .min(1, 'must name one parcel or more')
      .max(MAX_NAMED, `must be at most ${MAX_NAMED} a call`)
      .optional(),
    apns: z
      .array(line(200, 'must be text'))
      .min(1, 'must name one parcel or more')
      .max(MAX_NAMED, `must be at most ${MAX_NAMED} a call`)
      .optional()
      .describe('Parcel numbers of the county `fips`, with the zeros of their parts or without.'),
    fips: z
      .union([z.string(), z.int().transform(String)])
      .pipe(fips)
      .optional(),
  })
  .superRefine((given, { addIssue }) => {
    const named = WAYS.filter(name => given[name] !== undefined);
    const add = (name: string, message: string) => addIssue({ code: 'custom', path: [name], message });
    if (named.length !== 1)
      for (const name of named.length === 0 ? WAYS : named)
        add(name, `exactly one of ${WAYS.join(', ')} is required`);
    if (given.apns !== undefined && given.fips === undefined)
      add('fips', 'is missing: the county of the parcel numbers');
    if (given.apns === undefined && given.fips !== undefined) add('fips', 'goes with apns alone');
  })
  .meta({ id: 'NewListRows', example: { filter: FILTER_EXAMPLE.request } });

const added = z
  .object({
    added: z.int().min(0),
    already_there: z.int().min(0),
    left_out: z.int().min(0).describe('Those of the next three together.'),
    in_other_lists: z.int().min(0).describe('In a list that `leave_out.lists` names.'),
    mailed_lately: z
      .int()
      .min(0)
      .describe('Of an owner who was mailed within `leave_out.mailed_within_days`.'),
    do_not_mail: z.int().min(0).describe('Of an owner who is marked `do_not_mail`.'),
    not_found: z
      .array(z.string())
      .describe('Ids and parcel numbers, as given, that no parcel on the roll has.'),
    rows: z.int().min(0).describe('Parcels in the list now.'),
  })
  .meta({ id: 'AddedListRows' });

export type AddedRows = z.output<typeof added>;

const FULL = `The lists of the company have ${MAX_ROWS.toLocaleString('en-US')} rows at most: delete lists or rows first.`;

export const addListRows = defineEndpoint({
  method: 'post',
  path: ROWS_PATH,
  operationId: 'add_list_rows',
  tag: 'Lists',
  summary: 'Add parcels to a list',
  description: `All that a filter finds (up to ${MAX_FOUND.toLocaleString('en-US')} parcels a call), or up to ${MAX_NAMED.toLocaleString('en-US')} parcels by their ids, or by their numbers in one county. Only parcels on the roll are added; what the list leaves out, and owners who want no letters, are counted. Free: the answer has counts alone, and a row costs when it is read.`,
  params: listParams,
  body,
  response: {
    status: 201,
    description: 'What became of the parcels.',
    also: { 200: 'The same, and none was added.' },
    schema: added,
    example: {
      summary: 'A filter, with one owner mailed lately',
      value: {
        added: 58,
        already_there: 0,
        left_out: 2,
        in_other_lists: 0,
        mailed_lately: 2,
        do_not_mail: 0,
        not_found: [],
        rows: 58,
      },
    },
  },
  errors: { not_found: NO_LIST, unprocessable: `${FULL} Or a shape of the filter is too much to test.` },
  handle: async ({ params, body }, resources, call) => {
    const companyId = await companyOf(resources.database.run, call.account.id);
    const list = await findList(resources.database, companyId, params.id);
    const { ids, unknown } = await idsOf(body, resources.database, { asOf: call.now, companyId });
    const answer = await makeOnce(resources.database, call, async (_run, statements) => {
      const { run } = statements;
      await run('lists/lock_lists', { company_id: companyId });
      // It may have been deleted while the filter was read.
      const held = await run('lists/hold_list', { company_id: companyId, list_id: list.id });
      if (held.length === 0) throw notFound(NO_LIST);
      const [before] = await run<{ rows: number }>('lists/count_rows_of_company', { company_id: companyId });
      const total = { added: 0, already_there: 0, in_other_lists: 0, mailed_lately: 0, do_not_mail: 0 };
      for (let from = 0; from < ids.length; from += BATCH) {
        const { not_found, ...counts } = await addBatch(
          statements,
          companyId,
          list,
          ids.slice(from, from + BATCH),
        );
        for (const name of Object.keys(total) as (keyof typeof total)[]) total[name] += counts[name];
        // What a filter has found was on the roll a moment ago.
        if (body.filter === undefined) unknown.push(...not_found.map(String));
        if (before!.rows + total.added > MAX_ROWS) throw unprocessable(FULL);
      }
      if (total.added > 0) await run('lists/touch_list', { list_id: list.id });
      return { ...total, not_found: unknown };
    });
    const { in_other_lists, mailed_lately, do_not_mail } = answer;
    const { rows } = await findList(resources.database, companyId, list.id);
    const left_out = in_other_lists + mailed_lately + do_not_mail;
    return {
      body: { ...answer, left_out, rows } satisfies AddedRows,
      status: answer.added > 0 ? 201 : 200,
      tokens: 0,
    };
  },
});

/** The parcels that a body means, ascending and each once, and those of its names that none has. */
async function idsOf(
  { filter, property_ids, apns, fips }: z.output<typeof body>,
  database: Database,
  asking: Asking,
): Promise<{ ids: number[]; unknown: string[] }> {
  if (filter !== undefined)
    return { ids: await collect(filter as FilterBody, database, asking), unknown: [] };
  if (property_ids !== undefined) return { ids: ascending(property_ids), unknown: [] };
  await requireKnownRegions(database, [{ field: 'fips', type: 'county', codes: [fips!] }]);
  const asked = [...new Set(apns!.map(apn => apn.trim()))].filter(apn => apn !== '');
  const byNumber = await findNumbers(database, Number(fips), asked);
  return {
    ids: ascending([...byNumber.values()].flat()),
    unknown: asked.filter(apn => !byNumber.has(apn)),
  };
}

const ascending = (ids: readonly number[]): number[] => [...new Set(ids)].sort((a, b) => a - b);

/** Parcels by their numbers as they are written; those that none has as the county would fill them up. */
async function findNumbers(
  database: Database,
  fips: number,
  asked: readonly string[],
): Promise<Map<string, number[]>> {
  const found = await findByApns(database, fips, asked);
  const missing = asked.filter(apn => !found.has(apn));
  if (missing.length === 0) return found;
  const counties = await database.run<{ apn_shapes: string[] }>('parcels/read_apn_shapes', { fips });
  const shapes = counties.flatMap(({ apn_shapes }) => apn_shapes);
  const formsOf = (apn: string) => shapes.flatMap(shape => filledUp(apn, shape) ?? []);
  const byForm = await findByApns(database, fips, [...new Set(missing.flatMap(formsOf))]);
  for (const apn of missing) {
    const ids = formsOf(apn).flatMap(form => byForm.get(form) ?? []);
    if (ids.length > 0) found.set(apn, ids);
  }
  return found;
}

/** All that a filter finds. @throws PlatError `validation_error` for too many, or as the filter */
async function collect(filter: FilterBody, database: Database, asking: Asking): Promise<number[]> {
  await requireFilterRegions(database, filter);
  const { from, where, values } = await selectParcels(filter, asking, database);
  const [row] = await database.runComposed<{ ids: Buffer }>(
    'parcels/collect_hits',
    { from, where },
    { ...values, limit: MAX_FOUND + 1 },
  );
  const count = row!.ids.length / 8;
  if (count > MAX_FOUND)
    throw validationError({
      filter: [
        `finds more than ${MAX_FOUND.toLocaleString('en-US')} parcels: narrow it, by acres or ZIP codes for example, and add them in several calls`,
      ],
    });
  return Array.from({ length: count }, (_, i) => Number(row!.ids.readBigInt64BE(8 * i)));
}

type Batch = Omit<AddedRows, 'left_out' | 'not_found' | 'rows'> & { not_found: number[] };

/** @param ids one of which no county can have is not found */
async function addBatch(
  { runComposed }: Statements,
  companyId: string,
  list: ListRecord,
  ids: readonly number[],
): Promise<Batch> {
  const [row] = await runComposed<Batch>(
    'lists/add_rows',
    { owners: listParts().owners },
    {
      company_id: companyId,
      list_id: list.id,
      property_ids: ids,
      counties: [...new Set(ids.map(countyOf))].filter(code => code < 1e5),
      leave_out_lists: list.leave_out_lists,
      mailed_within_days: list.mailed_within_days,
    },
  );
  return row!;
}
