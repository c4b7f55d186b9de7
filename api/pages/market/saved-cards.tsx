import type { MetricKey } from '../../../shared/domain/market-stats.ts';
import { listMarkets, type SavedMarket } from '../../v1/market/saved-markets.ts';
import { Empty, Submit } from '../frame/layout.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { pathOf, shown, titleOf } from './market-page.tsx';
import { metricWords } from './market-words.ts';

/** A saved market with the statistics of the bucket that is looked at; null where it has no such lots. */
type MarketWithFigures = SavedMarket & { data: Record<string, number | null> | null };

type Figures = { type: string; code: string; data: MarketWithFigures['data'] };

/** The company's saved markets in the order in which they were pinned. */
export async function readSaved(visit: Visit, bucket: string): Promise<MarketWithFigures[]> {
  const saved = await callEndpoint<SavedMarket[]>(visit, listMarkets);
  if (saved.length === 0) return [];
  const keys = saved.map(({ region: { type, name, fips } }) => ({
    type,
    code: type === 'zip' ? name : fips!,
  }));
  const rows = await visit.deps.resources.database.run<Figures>('market/list_saved_values', {
    bucket,
    types: keys.map(({ type }) => type),
    codes: keys.map(({ code }) => code),
  });
  const byRegion = new Map(rows.map(({ type, code, data }) => [`${type} ${code}`, data]));
  return saved.map((market, i) => ({
    ...market,
    data: byRegion.get(`${keys[i]!.type} ${keys[i]!.code}`) ?? null,
  }));
}

type SavedProps = { saved: readonly MarketWithFigures[]; metric: MetricKey };

/** A card each; its label is changed, and it is taken out, under “Edit”. */
export function Saved({ saved, metric }: SavedProps) {
  if (saved.length === 0)
    return (
      <Empty icon="bookmark" title="No saved markets yet">
        Open a county below and press “Save market”: your whole company sees it here.
      </Empty>
    );
  return (
    <>
      <ul class="savedcards">
        {saved.map(({ id, region, status, data }) => (
          <li class="card">
            <div class="head">
              <a href={pathOf(region)}>{titleOf(region)}</a>
              {status && <span class="badge">{status}</span>}
            </div>
            {data === null ? (
              <small>No lots of this size</small>
            ) : (
              <>
                <b class="figure">{shown(metric, data[metric])}</b>
                <small>{metricWords(metric)}</small>
                <small>
                  {metric !== '1yr STR' && `${shown('STR', data['1yr STR'])} sell-through · `}
                  {shown('Active', data.Active)} for sale
                </small>
              </>
            )}
            <details>
              <summary>Edit</summary>
              <form method="post" class="buttons">
                <input type="hidden" name="region_id" value={region.id} />
                <input type="hidden" name="id" value={id} />
                <input
                  name="status"
                  value={status}
                  aria-label={`Status of ${titleOf(region)}`}
                  list="statuses"
                  maxlength={64}
                />
                <Submit label="Change" kind="second small" />
                <Submit label="Remove" does="remove" kind="quiet small" />
              </form>
            </details>
          </li>
        ))}
      </ul>
      <datalist id="statuses">
        {[...new Set([...saved.map(({ status }) => status), 'Watching', 'Buying', 'Avoid'])]
          .filter(Boolean)
          .map(status => (
            <option value={status} />
          ))}
      </datalist>
    </>
  );
}
