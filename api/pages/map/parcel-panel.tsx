import { PlatError } from '../../../shared/base/errors.ts';
import { fieldText } from '../../../shared/domain/field-text.ts';
import { acres, day, usd } from '../../../shared/domain/figures.ts';
import { FIELD_GROUPS, fieldsIn } from '../../../shared/domain/parcel-fields.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { notFound } from '../../http/error-responses.ts';
import type { ParcelSummary } from '../../v1/common/parcel-summary.ts';
import type { Comp } from '../../v1/market/comp-schema.ts';
import { listComps } from '../../v1/market/list-comps.ts';
import { ownerPortfolio, type Portfolio } from '../../v1/parcels/owner-portfolio.ts';
import { getProperty, type TimelineEntry } from '../../v1/parcels/property-detail.ts';
import { aiCompValue, type ExplainedValue } from '../../v1/valuation/ai-comp-value.ts';
import { Back, Facts, Grid, Submit } from '../frame/layout.tsx';
import { callEndpoint, type Visit } from '../frame/visit.ts';
import { ParcelHistory } from './parcel-history.tsx';
import { Slopes, ValuePanel, ValueUnavailable } from './value-page.tsx';

export type Detail = ParcelSummary & { timeline: TimelineEntry[] } & Record<string, unknown>;

/** The parcel's picture; undefined where none is to be had. */
type Photo = { path: string; imagery: 'aerial' | 'relief'; attribution: string; captured: string | null };

export type ParcelData = {
  detail: Detail;
  photo: Photo | undefined;
  value: ExplainedValue | NoValue;
  comps: Comp[];
  portfolio: Portfolio | undefined;
};

/** Why there is no estimate. */
type NoValue = { why: string };

/** Comps are listed from this far around: 5 miles. */
const COMPS_M = 8_047;

/** All that the endpoints say about a parcel. @throws PlatError `not_found` */
export async function readParcel(visit: Visit, id: string): Promise<ParcelData> {
  if (!/^\d{12,13}$/.test(id)) throw notFound('A parcel has an id of 12 or 13 digits.');
  const params = { property_id: id };
  const query = { timeline: 'true' };
  const detail = await callEndpoint<Detail>(visit, getProperty, { params, query });
  const [photo, value, portfolio, comps] = await Promise.all([
    readPhoto(visit, detail.property_id),
    readValue(visit, id),
    orUndefined(callEndpoint<Portfolio>(visit, ownerPortfolio, { params })),
    detail.point === null
      ? undefined
      : callEndpoint<{ results: Comp[] }>(visit, listComps, {
          query: { point: detail.point.map(String), dist: String(COMPS_M), page_size: '12' },
        }),
  ]);
  return { detail, photo, value, comps: comps?.results ?? [], portfolio };
}

async function readPhoto({ deps }: Visit, id: number): Promise<Photo | undefined> {
  const { images } = deps.resources;
  try {
    const { key, ...caption } = await images.pictures.describe(id);
    return { ...caption, path: (await images.addressOf(id, key, deps.now())).path };
  } catch (error) {
    // The parcel has no boundary, or one that is too complex; or no imagery is to be had. The
    // page says all else.
    if (error instanceof PlatError && [404, 422, 503].includes(error.status)) return undefined;
    throw error;
  }
}

async function readValue(visit: Visit, id: string): Promise<ExplainedValue | NoValue> {
  try {
    const query = { explain: 'true' };
    return await callEndpoint<ExplainedValue>(visit, aiCompValue, { params: { property_id: id }, query });
  } catch (error) {
    if (error instanceof PlatError && error.status === 404) return { why: error.message };
    throw error;
  }
}

async function orUndefined<T>(answer: Promise<T>): Promise<T | undefined> {
  try {
    return await answer;
  } catch (error) {
    if (error instanceof PlatError && (error.status === 404 || error.status === 400)) return undefined;
    throw error;
  }
}

/** What the head of the page says already. */
const IN_HEAD = ['apn', 'situs_address', 'situs_city', 'situs_state', 'situs_zip'];

const GROUPS = FIELD_GROUPS.map(title => ({
  title,
  fields: fieldsIn(title).filter(([name]) => !IN_HEAD.includes(name)),
}));

/** Where a comp is, with a link to its listing. */
function placeOf({ url, address }: Comp) {
  return url !== '' ? (
    <a href={url} rel="noreferrer">
      {address || 'listing'}
    </a>
  ) : (
    address || '–'
  );
}

function ParcelPhoto({ photo: { path, imagery, attribution, captured } }: { photo: Photo }) {
  const what = imagery === 'aerial' ? 'an aerial photograph' : 'a relief';
  return (
    <figure class="photo">
      <a href={path}>
        <img src={path} alt={`The parcel outlined in blue on ${what}`} width="1024" height="768" />
      </a>
      <figcaption>
        {imagery === 'aerial' ? 'Imagery' : 'No aerial imagery here'}: {attribution}
        {captured && `, ${day(captured)}`}
      </figcaption>
    </figure>
  );
}

export function ParcelPanel({ detail, photo, value, comps, portfolio, back }: ParcelData & { back: string }) {
  const id = detail.property_id;
  return (
    <article class="parcel" id="parcel">
      <Back to={back} words="Back to the list" />
      <h1>{detail.situs_address || `APN ${detail.apn ?? id}`}</h1>
      <p>
        {[detail.situs_city, detail.situs_state, detail.situs_zip].filter(Boolean).join(', ')}
        <br />
        <small>
          APN {detail.apn ?? 'unknown'} · {countyText(Number(detail.fips))} ({detail.fips}) · id {id}
        </small>
      </p>
      {detail.retired_at != null && (
        <p class="notice">This parcel left the roll on {day(String(detail.retired_at))}.</p>
      )}
      <Facts
        kind="key"
        of={[
          ['Acres', detail.effective_acres === null ? 'unknown' : acres(detail.effective_acres)],
          ['Worth', 'why' in value ? 'no comps' : usd(value.mean_adjusted_price)],
          ['An acre', 'why' in value ? '–' : usd(value.mean_adjusted_ppa)],
        ]}
      />
      <div class="buttons">
        <form method="post" action="/comping">
          <input type="hidden" name="property_id" value={id} />
          <Submit label="New comp report" kind="second" />
        </form>
        <form method="post" action="/deals">
          <input type="hidden" name="what" value={id} />
          <Submit label="Add to my deals" does="add" kind="second" />
        </form>
      </div>
      {photo && <ParcelPhoto photo={photo} />}
      <a href={`/data/drawing/${id}.svg`} class="drawing">
        <img
          src={`/data/drawing/${id}.svg`}
          alt="The parcel with its boundary, roads, wetlands, flood zones and slope"
          width="900"
          height="740"
          loading="lazy"
        />
        <small>Slope, wetlands, flood zones and roads: open it with its legend</small>
      </a>
      {'why' in value ? <ValueUnavailable why={value.why} /> : <ValuePanel value={value} />}
      {GROUPS.map(({ title, fields }) => {
        const facts = fields.flatMap(([name, spec]): [string, string][] => {
          const text = fieldText(spec, detail[name]);
          return text === undefined ? [] : [[spec.label, text]];
        });
        return (
          facts.length > 0 && (
            <section>
              <h2>{title}</h2>
              <Facts of={facts} />
            </section>
          )
        );
      })}
      <Slopes shares={detail.steeper_percent as number[] | null} />
      <ParcelHistory timeline={detail.timeline} />
      {comps.length > 0 && (
        <section>
          <h2>Listed and sold within 5 miles</h2>
          <Grid
            name="Listed and sold"
            heads={['Status', 'Acres', 'Price', 'Sold', 'Where']}
            rows={comps.map(comp => [
              comp.status.toLowerCase(),
              comp.lot_size === null ? '–' : acres(comp.lot_size),
              usd(comp.price),
              comp.sold_date === null ? '–' : day(comp.sold_date),
              placeOf(comp),
            ])}
          />
        </section>
      )}
      {portfolio && portfolio.total_parcels > 1 && (
        <section>
          <h2>The owner's {portfolio.total_parcels} parcels</h2>
          <p>
            {acres(portfolio.total_acres)} acres in {portfolio.total_counties}{' '}
            {portfolio.total_counties === 1 ? 'county' : 'counties'}
          </p>
          <ul class="hits">
            {portfolio.results.slice(0, 20).map(parcel => (
              <li>
                <a href={`/data?parcel=${parcel.property_id}`}>
                  <b>{parcel.situs_address || `APN ${parcel.apn ?? parcel.property_id}`}</b>
                  <span>
                    {parcel.effective_acres === null ? '' : `${acres(parcel.effective_acres)} acres`}
                  </span>
                </a>
              </li>
            ))}
          </ul>
          {portfolio.total_parcels > 20 && <a href={`/data?owner_parcel_id=${id}`}>All of them</a>}
        </section>
      )}
    </article>
  );
}
