import { METRIC_KEYS } from '../../shared/domain/market-stats.ts';
import { notFound } from '../http/errors.ts';
import { countyStats, zipStats } from '../v1/market-stats.ts';
import { deleteMarket, listMarkets, saveMarket } from '../v1/markets.ts';
import { acres, count, percent, usd } from './figures.ts';
import type { Page } from './pages.tsx';
import { ask, type Reply, type Visit } from './visit.ts';

type Data = Record<string, number | null>;
type Stats = {
  id: string;
  type: string;
  name: string;
  state: string;
  county_name: string;
  fips: string;
  stats: { type: string; data: Data }[];
};
export type Saved = {
  id: string;
  status: string;
  region: { id: string; type: string; name: string; state: string; county_name: string; fips: string };
};
export const DEFAULT_BUCKET = '0.2 acre-100 acre';

/** A statistic as people read it, by what its name says it is. */
export function shown(metric: string, value: number | null | undefined): string {
  if (value === null || value === undefined) return '–';
  if (/STR/.test(metric)) return percent(value);
  if (/Gini/.test(metric)) return value.toFixed(1);
  if (/Price|PPA/.test(metric)) return usd(value);
  if (/Acreage/.test(metric)) return acres(value);
  return count(value);
}

/** Saves a market, moves it to another column of the board, or removes it. */
export async function change(visit: Visit): Promise<void> {
  const { form } = visit;
  const id = form.get('id') ?? '';
  if (form.get('do') === 'remove') {
    await ask(visit, deleteMarket, { params: { id } });
    return;
  }
  const status = (form.get('status') ?? '').trim();
  await ask(visit, saveMarket, { body: { region_id: form.get('region_id') ?? '', status } });
}

type Region = Pick<Stats, 'type' | 'name' | 'state' | 'county_name' | 'fips'>;
export const titleOf = ({ type, name, state, county_name }: Region) =>
  type === 'zip' ? `${name} (${county_name}, ${state})` : `${name}, ${state}`;
export const pathOf = ({ type, name, fips }: Region) =>
  type === 'zip' ? `/markets/zip/${name}` : `/markets/${fips}`;

export const marketPage: Page = {
  path: '/markets/:fips',
  access: 'app',
  get: visit => show(visit, () => ask<Stats>(visit, countyStats, { params: { fips: code(visit, 'fips') } })),
  post: async visit => {
    await change(visit);
    return { redirect: visit.url.pathname };
  },
};

export const zipMarketPage: Page = {
  path: '/markets/zip/:zip',
  access: 'app',
  get: visit => show(visit, () => ask<Stats>(visit, zipStats, { params: { zip: code(visit, 'zip') } })),
  post: marketPage.post!,
};

function code(visit: Visit, name: string): string {
  const text = String(visit.req.params[name]);
  if (!/^\d{4,5}$/.test(text)) throw notFound('A market is a county by its FIPS code, or a ZIP code.');
  return text;
}

async function show(visit: Visit, read: () => Promise<Stats>): Promise<Reply> {
  const [market, saved] = await Promise.all([read(), ask<Saved[]>(visit, listMarkets)]);
  const own = saved.find(({ region }) => region.id === market.id);
  const asked = visit.url.searchParams.get('bucket');
  const bucket =
    market.stats.find(({ type }) => type === asked) ??
    market.stats.find(({ type }) => type === DEFAULT_BUCKET) ??
    market.stats[0];
  const body = (
    <>
      <p>
        <a href="/markets">All markets</a>
      </p>
      <h1>{titleOf(market)}</h1>
      <form method="post" class="buttons">
        <input type="hidden" name="region_id" value={market.id} />
        <input type="hidden" name="id" value={own?.id ?? ''} />
        <label for="status">{own ? 'Status on the board' : 'Save it as'}</label>
        <input id="status" name="status" value={own?.status ?? 'Watching'} maxlength={64} class="short" />
        <button type="submit">{own ? 'Change' : 'Save'}</button>
        {own && (
          <button type="submit" name="do" value="remove" class="danger">
            Remove
          </button>
        )}
      </form>
      {bucket === undefined ? (
        <p class="notice">There are no listings here.</p>
      ) : (
        <>
          <h2>{bucket.type}</h2>
          <div class="charts">
            <Windows title="Sold" data={bucket.data} keys={w => `Sold: ${w}`} />
            <Windows title="Sell-through rate" data={bucket.data} keys={w => `${w} STR`} />
            <Windows title="Median price" data={bucket.data} keys={w => `Median Price ${w}`} />
            <Windows title="Days on market" data={bucket.data} keys={w => `Avg DOM ${w}`} />
            <Windows title="Gini of price per acre" data={bucket.data} keys={w => `Gini ${w}`} />
          </div>
          <h2>All acreages</h2>
          <Buckets market={market} open={bucket.type} path={visit.url.pathname} />
        </>
      )}
      {market.type === 'county' && (
        <p class="buttons">
          <a class="button second" href={`/data?county=${market.fips}`}>
            Parcels of the county
          </a>
        </p>
      )}
    </>
  );
  return { title: titleOf(market), body };
}

const WINDOWS = ['1mo', '3mo', '6mo', '1yr'];

/** A statistic over the windows, as columns with their figures. */
function Windows({ title, data, keys }: { title: string; data: Data; keys(window: string): string }) {
  const values = WINDOWS.map(window => data[keys(window)] ?? null);
  const most = Math.max(...values.map(value => value ?? 0), 1e-9);
  return (
    <figure>
      <figcaption>{title}</figcaption>
      <svg
        viewBox="0 0 200 90"
        role="img"
        aria-label={`${title}: ${WINDOWS.map((w, i) => `${w} ${shown(keys(w), values[i])}`).join(', ')}`}
      >
        {values.map((value, i) => {
          const height = value === null ? 0 : (50 * value) / most;
          return (
            <>
              <rect x={i * 50 + 8} y={70 - height} width="34" height={height} class="bar-fill" />
              <text x={i * 50 + 25} y={66 - height} text-anchor="middle">
                {shown(keys(WINDOWS[i]!), value)}
              </text>
              <text x={i * 50 + 25} y="84" text-anchor="middle" class="soft">
                {WINDOWS[i]}
              </text>
            </>
          );
        })}
      </svg>
    </figure>
  );
}

const COLUMNS = [
  'Active',
  'Pending',
  'Sold: 1yr',
  '1yr STR',
  'Avg DOM 1yr',
  'Median Price 1yr',
  'Median Sold PPA',
  'Median Active PPA',
  'Gini 1yr',
];

function Buckets({ market, open, path }: { market: Stats; open: string; path: string }) {
  return (
    <section class="scroll" tabindex={0} aria-label="Acreages">
      <table>
        <thead>
          <tr>
            <th>Acreage</th>
            {COLUMNS.map(key => (
              <th class="n">{key}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {market.stats.map(({ type, data }) => (
            <tr class={type === open ? 'open' : undefined}>
              <td>
                <a href={`${path}?bucket=${encodeURIComponent(type)}`}>{type}</a>
              </td>
              {COLUMNS.map(key => (
                <td class="n">{shown(key, data[key])}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <details>
        <summary>All 43 statistics of {open}</summary>
        <table>
          <tbody>
            {METRIC_KEYS.map(key => (
              <tr>
                <th>{key}</th>
                <td class="n">{shown(key, market.stats.find(({ type }) => type === open)?.data[key])}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </details>
    </section>
  );
}
