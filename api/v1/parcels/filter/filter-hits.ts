import { binder } from '../../../../shared/base/named-parameters.ts';
import type { Database } from '../../../http/database.ts';
import type { Page } from '../../../http/paging.ts';
import type { Hit, Selection } from './filter-selection.ts';
import type { Order } from './filters.ts';

/** Hits that are sorted by themselves within 5 ms; of more, the first are found by an index. */
const MAX_SORTED: Record<Order, number> = { property_id: 50_000, acres: 2_000, '-acres': 2_000 };

/**
 * The page's hits, one more than it shows where there are more, in reading order; and how
 * many there are in all.
 */
export async function findHits(
  database: Database,
  selection: Selection,
  page: Page,
  order: Order,
): Promise<{ count: number; hits: Hit[] }> {
  if (page.count !== undefined)
    return { count: page.count, hits: await listHits(database, selection, page, order) };
  const { count, hits } = await countHits(database, selection, page, order);
  const all = hits.length > 0 || page.offset >= count;
  return { count, hits: all ? hits : await listHits(database, selection, page, order) };
}

async function countHits(
  database: Database,
  { from, where, wholeCounties, values }: Selection,
  page: Page,
  order: Order,
): Promise<{ count: number; hits: Hit[] }> {
  const rows = await database.runComposed<{ count: number; property_id: number | null } & Hit>(
    'parcels/count_hits',
    {
      from,
      where,
      ids: wholeCounties ? 'null::bigint[]' : 'array_agg(f.property_id)',
      acres: wholeCounties || order === 'property_id' ? 'null::float8[]' : 'array_agg(f.effective_acres)',
      order: sorted(order, order === '-acres' ? 'desc' : 'asc'),
    },
    { ...values, most: MAX_SORTED[order], offset: page.offset, limit: page.size + 1 },
  );
  return { count: rows[0]!.count, hits: rows.filter(row => row.property_id !== null) };
}

function sorted(order: Order, direction: 'asc' | 'desc'): string {
  return order === 'property_id'
    ? `f.property_id ${direction}`
    : `f.effective_acres ${direction} nulls last, f.property_id ${direction}`;
}

async function listHits(
  database: Database,
  { from, where, values: given }: Selection,
  page: Page,
  order: Order,
): Promise<Hit[]> {
  const hits: Hit[] = [];
  for (const leg of legsOf(order, page)) {
    const wanted = page.size + 1 - hits.length;
    if (wanted === 0) break;
    const values: Record<string, unknown> = { ...given, offset: page.offset, limit: wanted };
    const bind = binder(values);
    const fragments = {
      from,
      where: [where, ...leg.where(bind)].join('\n    and '),
      order: leg.order,
    };
    hits.push(...(await database.runComposed<Hit>('parcels/list_hits', fragments, values)));
  }
  return hits;
}

/**
 * A stretch of the list that one index gives in its order; a page may need the end of one and the
 * start of the next.
 */
type Leg = { where(bind: (value: unknown) => string): string[]; order: string };

function legsOf(order: Order, page: Page): Leg[] {
  const backwards = page.beside?.direction === 'previous';
  const direction = (order === '-acres') !== backwards ? 'desc' : 'asc';
  return order === 'property_id' ? [byId(page, direction)] : byAcres(page, direction, backwards, order);
}

const beyond = (direction: 'asc' | 'desc') => (direction === 'asc' ? '>' : '<');

function byId({ beside }: Page, direction: 'asc' | 'desc'): Leg {
  return {
    where(bind) {
      if (beside === undefined) return [];
      const id = `${bind(beside.place[0])}::bigint`;
      const sign = beyond(direction);
      return [`f.fips ${sign}= (${id} / 100000000)::int`, `f.property_id ${sign} ${id}`];
    },
    // The id begins with the county, so this is the order of the ids, and of the primary key.
    order: `f.fips ${direction}, f.property_id ${direction}`,
  };
}

/** Parcels of known acreage first, then the others. */
function byAcres(
  { beside, offset }: Page,
  direction: 'asc' | 'desc',
  backwards: boolean,
  order: Order,
): Leg[] {
  if (offset > 0) return [{ where: () => [], order: sorted(order, direction) }];
  const [acres, id] = beside === undefined ? [] : (beside.place as [number | null, number]);
  const inOrder = `f.effective_acres ${direction}, f.property_id ${direction}`;
  const knownLeg: Leg = {
    where: bind => [
      'f.effective_acres is not null',
      ...(typeof acres === 'number'
        ? [
            `(f.effective_acres, f.property_id) ${beyond(direction)} (${bind(acres)}::float8, ${bind(id)}::bigint)`,
          ]
        : []),
    ],
    order: inOrder,
  };
  const unknown: Leg = {
    where: bind => [
      'f.effective_acres is null',
      ...(acres === null ? [`f.property_id ${beyond(direction)} ${bind(id)}::bigint`] : []),
    ],
    order: inOrder,
  };
  if (backwards) return acres === null ? [unknown, knownLeg] : [knownLeg];
  return acres === null ? [unknown] : [knownLeg, unknown];
}
