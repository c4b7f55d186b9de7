import type { VNode } from 'preact';
import {
  type CountySale,
  decideSale,
  type FlaggedSale,
  listFlaggedSales,
  listSaleOverrides,
  listUnflaggedSales,
  type SaleOverride,
} from '../../../shared/feeds/flagged-sales.ts';
import { acres, count, day, moment, usd } from '../../../shared/model/figures.ts';
import { SALE_FLAGS, type SaleFlag } from '../../../shared/model/sale-flags.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { notFound } from '../../http/error-responses.ts';
import type { CountyQuality } from '../../v1/feeds/get-county-quality.ts';
import type { Done } from '../frame/forms.ts';
import { Act, Grid } from '../frame/layout.tsx';
import { accountOf, type Visit } from '../frame/visit.ts';

/** Maximum number of sales shown for each flag, and of sales without a flag. */
const MAX_SHOWN = 20;

type Lists = {
  apn: string;
  flagged: FlaggedSale[];
  unflagged: CountySale[];
  overrides: SaleOverride[];
  /** Whether the visitor is an operator, who can include and exclude sales. */
  canDecide: boolean;
};

/** Reads a county's sales. Undefined for visitors without a subscription, who see only the counts. */
export async function readSales(visit: Visit, fips: number): Promise<Lists | undefined> {
  const { operator } = visit.session!.user;
  if (!operator && !(await accountOf(visit))?.pro) return undefined;
  const { db } = visit.deps;
  const apn = (visit.url.searchParams.get('apn') ?? '').trim().slice(0, 60);
  const which = { fips, apn: apn || null, limit: MAX_SHOWN };
  const [flagged, unflagged, overrides] = await Promise.all([
    listFlaggedSales(db, which),
    operator ? listUnflaggedSales(db, which) : [],
    listSaleOverrides(db, fips),
  ]);
  return { apn, flagged, unflagged, overrides, canDecide: operator };
}

const decide = (used: boolean | null, good: string) => async (visit: Visit) => {
  const { user } = visit.session!;
  if (!user.operator) throw new PlatError('forbidden', 'Only operators can decide which sales are used.');
  const fips = Number(visit.req.params.fips);
  const id = visit.form.get('id') ?? '';
  if (!Number.isSafeInteger(fips)) throw notFound("We can't find this sale.");
  await decideSale(visit.deps.db, { fips, id, used, by: user.email });
  return { good } satisfies Done;
};

const NEXT = 'Plat is revaluing the county. Estimates will be updated in a few minutes.';
export const saleActions = {
  use: decide(true, `Sale included. ${NEXT}`),
  leave_out: decide(false, `Sale excluded. ${NEXT}`),
  undo: decide(null, `Decision undone. ${NEXT}`),
};

type SalesProps = { sales: CountyQuality['sales']; lists: Lists | undefined };

/** Which sales the valuation uses, and why it doesn't use the others. */
export function CountySales({ sales: { used, flagged }, lists }: SalesProps) {
  if (used === null && flagged.length === 0) return null;
  return (
    <section id="sales">
      <h2>Sales</h2>
      <p>
        The valuation uses <b data-used-sales>{used === null ? '–' : count(used)}</b> of the county's sales.
        This table counts the sales that it doesn't use, and unusual sales that it does use, by reason.
      </p>
      <Grid
        name="Sales by reason"
        heads={['Reason', 'Sales', 'Used', 'Meaning']}
        rows={flagged.map(({ flag, sales }) => [
          <span data-flag={flag}>{SALE_FLAGS[flag].label}</span>,
          count(sales),
          SALE_FLAGS[flag].isUsed ? 'Yes' : 'No',
          SALE_FLAGS[flag].description.replaceAll('`', ''),
        ])}
      />
      {lists && <SaleLists lists={lists} />}
    </section>
  );
}

function SaleLists({ lists: { apn, flagged, unflagged, overrides, canDecide } }: { lists: Lists }) {
  const flags = [...new Set(flagged.map(({ flag }) => flag))];
  return (
    <>
      <form method="get" action="#sales" class="buttons">
        <label for="sale-apn">Parcel number</label>
        <input id="sale-apn" name="apn" value={apn} maxLength={60} />
        <button type="submit" class="second">
          Find sales
        </button>
      </form>
      {flags.map(flag => (
        <FlaggedSales
          flag={flag}
          sales={flagged.filter(sale => sale.flag === flag)}
          canDecide={canDecide}
          open={apn !== ''}
        />
      ))}
      {unflagged.length > 0 && (
        <details open={apn !== ''}>
          <summary>Latest sales used</summary>
          <SaleGrid
            name="Latest sales used"
            sales={unflagged}
            action={({ id }) => <Act label="Exclude sale" does="leave_out" id={id} kind="second small" />}
          />
        </details>
      )}
      {overrides.length > 0 && <Overrides overrides={overrides} canDecide={canDecide} />}
    </>
  );
}

type FlaggedProps = { flag: SaleFlag; sales: FlaggedSale[]; canDecide: boolean; open: boolean };

function FlaggedSales({ flag, sales, canDecide, open }: FlaggedProps) {
  const { label, isUsed } = SALE_FLAGS[flag];
  const canOverride = canDecide && flag !== 'left_out' && flag !== 'incomplete';
  return (
    <details open={open}>
      <summary>
        {label} (latest {count(sales.length)})
      </summary>
      <SaleGrid
        name={label}
        sales={sales}
        action={
          canOverride
            ? ({ id }) =>
                isUsed ? (
                  <Act label="Exclude sale" does="leave_out" id={id} kind="second small" />
                ) : (
                  <Act label="Include sale" does="use" id={id} kind="second small" />
                )
            : undefined
        }
      />
    </details>
  );
}

type GridProps = {
  name: string;
  sales: (CountySale & { code?: string | null })[];
  action: ((sale: CountySale) => VNode) | undefined;
};

const SaleGrid = ({ name, sales, action }: GridProps) => (
  <Grid
    name={name}
    heads={['Sold', 'Parcel number', 'Acres', 'Price', 'Code', ...(action ? [''] : [])]}
    rows={sales.map(sale => [...cellsOf(sale), sale.code ?? '–', ...(action ? [action(sale)] : [])])}
  />
);

const cellsOf = ({ sold_date, apn, acres: size, price }: CountySale): string[] => [
  sold_date === null ? '–' : day(sold_date),
  apn || '–',
  size === null ? '–' : acres(size),
  usd(price),
];

const Overrides = ({ overrides, canDecide }: { overrides: SaleOverride[]; canDecide: boolean }) => (
  <>
    <h3>Operator decisions</h3>
    <Grid
      name="Operator decisions"
      heads={[
        'Sold',
        'Parcel number',
        'Acres',
        'Price',
        'Decision',
        'By',
        'Date',
        ...(canDecide ? [''] : []),
      ]}
      rows={overrides.map(sale => [
        ...cellsOf(sale),
        <span data-override={sale.id}>{sale.used ? 'Include' : 'Exclude'}</span>,
        canDecide ? sale.decided_by : 'an operator',
        moment(sale.decided_at),
        ...(canDecide ? [<Act label="Undo" does="undo" id={sale.id} kind="second small" />] : []),
      ])}
    />
  </>
);
