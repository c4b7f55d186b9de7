import type { Candidate, ReportSnapshot } from '../../../shared/comping/comp-report.ts';
import type { Result } from '../../../shared/comping/comp-report-result.ts';
import { isOfParcel } from '../../../shared/comping/own-sale.ts';
import type { Report } from '../../../shared/comping/stored-reports.ts';
import { acres, count, day, usd } from '../../../shared/model/figures.ts';
import { isWebAddress } from '../../../shared/model/listing-fields.ts';
import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { Field, Panel, Select, Submit } from '../frame/layout.tsx';
import {
  BOUNDS,
  type Filters,
  inOrder,
  isShown,
  METERS_PER_MILE,
  ORDERS,
  STATUSES,
  weightText,
} from './comping-filter.ts';

export const STATUS_WORDS = { SOLD: 'sold', PENDING: 'pending', ACTIVE: 'for sale' } as const;

/** Shows a status by shape and color: a circle is sold, a square is pending, and a triangle is for sale. */
export function StatusBadge({ status }: { status: Candidate['status'] }) {
  return (
    <svg class={`mark ${status}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      {status === 'SOLD' && <circle cx="6" cy="6" r="5" />}
      {status === 'PENDING' && <rect x="1.5" y="1.5" width="9" height="9" />}
      {status === 'ACTIVE' && <path d="M6 0.5L11.5 11H0.5Z" />}
    </svg>
  );
}

/** Whether a comp is a sale or listing of the report's own parcel. */
export const isOwnSale = ({ subject }: ReportSnapshot, comp: Candidate): boolean => isOfParcel(comp, subject);

/** Marks a comp that is a sale of the parcel itself. */
export const OwnMark = () => <span class="tag own-sale">This parcel</span>;

export const nameOf = ({ address, apn, city }: Candidate): string =>
  titleCase(address || '') || (apn && `APN ${shortApn(apn)}`) || titleCase(city || '') || 'No address';

export const lotOf = (size: number): string => `${acres(size)} ${size === 1 ? 'acre' : 'acres'}`;

export const miles = (meters: number): string =>
  `${new Intl.NumberFormat('en-US', { maximumFractionDigits: meters < 16_000 ? 1 : 0 }).format(meters / METERS_PER_MILE)} mi`;

type CandidateListProps = {
  report: Report;
  result: Result | null;
  filters: Filters;
  path: string;
  search: string;
};

/** The comps to choose from. Without JavaScript, a button saves the selection. */
export function CandidateList({ report, result, filters, path, search }: CandidateListProps) {
  const snapshot = report.snapshot!;
  const { candidates, comps } = snapshot;
  const weights = new Map(result?.lines.map(({ comp, weight }) => [comp.id, weight]));
  const chosen = new Set(report.chosen);
  const ordered = inOrder(candidates, filters.order);
  const shown = candidates.filter(comp => isShown(comp, filters)).length;
  const used = candidates.filter(comp => comp.used).length;
  return (
    <Panel
      id="candidates-panel"
      title="Comps"
      flush
      aside={
        <form method="post" action={path} class="buttons" data-change>
          {used > 0 && <Submit label={`Use Plat's ${count(used)}`} does="model" kind="second small" />}
          <Submit label="Clear comps" does="clear" kind="quiet small" />
        </form>
      }
    >
      <FilterForm filters={filters} path={path} candidates={candidates} />
      <form method="post" action={path + search} id="candidates">
        <input type="hidden" name="do" value="select" />
        <input type="hidden" name="was" value={report.chosen.join(',')} />
        <p class="fine-print">
          <output id="shown">{count(shown)}</output> of {count(candidates.length)} comps
          {comps > candidates.length && `, the most similar of ${count(comps)} nearby`}
        </p>
        <ul class="comps" id="comps" tabindex={0} aria-label="Comps">
          {ordered.map(comp => (
            <CandidateItem
              comp={comp}
              isOwn={isOwnSale(snapshot, comp)}
              isVisible={isShown(comp, filters)}
              isChosen={chosen.has(comp.id)}
              weight={weights.get(comp.id)}
            />
          ))}
        </ul>
        <p class="buttons noscript">
          <button type="submit">Save selection</button>
        </p>
      </form>
    </Panel>
  );
}

type ItemProps = {
  comp: Candidate;
  isOwn: boolean;
  isVisible: boolean;
  isChosen: boolean;
  /** Its share of the estimate, if it is chosen. */
  weight: number | undefined;
};

function CandidateItem({ comp, isOwn, isVisible, isChosen, weight }: ItemProps) {
  return (
    <li data-id={comp.id} hidden={!isVisible} class={isChosen ? 'is-chosen' : undefined}>
      <label>
        <input type="checkbox" name="comp" value={comp.id} checked={isChosen} />
        <StatusBadge status={comp.status} />
        <b>{nameOf(comp)}</b>
        {isOwn && <OwnMark />}
      </label>
      <span class="ppa">
        {usd(comp.price / comp.acres)} <small>/ acre</small>
      </span>
      <small>
        {stateOf(comp)} · {acres(comp.acres)} ac · {usd(comp.price)} · {miles(comp.distance_m)}
        {comp.days_on_market !== null && ` · ${count(comp.days_on_market)} days on market`}
        {comp.used && <span class="tag">used by Plat</span>}
        {comp.left_out && (
          <span
            class="tag"
            title="Its price doesn't fit the market, or it duplicates another record of the same sale."
          >
            excluded by Plat
          </span>
        )}
        {comp.gone && <span class="tag">no longer a match</span>}{' '}
        <Links url={comp.url} photos={comp.photos} />
      </small>
      <span class="weight">{weight !== undefined && weightText(weight)}</span>
    </li>
  );
}

/** "Sold Aug 1, 2024" or "For sale". */
export function stateOf({ status, sold_date }: Candidate): string {
  const words = STATUS_WORDS[status];
  return [words[0]!.toUpperCase() + words.slice(1), sold_date && day(sold_date)].filter(Boolean).join(' ');
}

/** Photos are links, because pages don't load anything from other hosts. */
export function Links({ url, photos }: { url: string; photos: readonly string[] }) {
  return (
    <>
      {isWebAddress(url) && (
        <a href={url} rel="noreferrer" target="_blank">
          listing
        </a>
      )}{' '}
      {photos.filter(isWebAddress).map((photo, i) => (
        <>
          <a href={photo} rel="noreferrer" target="_blank">
            photo {i + 1}
          </a>{' '}
        </>
      ))}
    </>
  );
}

type FilterFormProps = { filters: Filters; path: string; candidates: readonly Candidate[] };

function FilterForm({ filters, path, candidates }: FilterFormProps) {
  const used = Object.keys(filters.bounds).length + (filters.zip ? 1 : 0) + (filters.fips ? 1 : 0);
  return (
    <form method="get" action={path} id="filters" class="comp-filters">
      <div class="row">
        <input type="hidden" name="status" value="" />
        {STATUSES.map(status => (
          <label class="chip">
            <input type="checkbox" name="status" value={status} checked={filters.statuses.includes(status)} />
            <StatusBadge status={status} />
            <span>
              {STATUS_WORDS[status]} {count(candidates.filter(comp => comp.status === status).length)}
            </span>
          </label>
        ))}
        <label for="order" class="unseen">
          Sort by
        </label>
        <Select name="order" options={ORDERS} given={filters.order} />
      </div>
      <details open={used > 0}>
        <summary>Filters {used > 0 && <b class="count">{used}</b>}</summary>
        <div class="bounds">
          {BOUNDS.map(([name, label]) => (
            <Field
              name={name}
              label={label}
              value={filters.bounds[name]}
              inputmode="decimal"
              autocomplete="off"
            />
          ))}
          <Field label="ZIP code" name="zip" value={filters.zip} inputmode="numeric" autocomplete="off" />
          <Field
            label="County FIPS code"
            name="fips"
            value={filters.fips}
            inputmode="numeric"
            autocomplete="off"
          />
        </div>
        <input
          type="hidden"
          name="polygon"
          value={filters.area ? JSON.stringify({ type: 'Polygon', coordinates: [filters.area] }) : ''}
        />
      </details>
      <p class="buttons">
        <Submit label="Apply filters" kind="second small noscript" />
        <a href={path} class="button quiet small" id="unfilter">
          Clear filters
        </a>
      </p>
    </form>
  );
}
