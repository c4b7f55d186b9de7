import { count, day, oneDigit, percent } from '../../../shared/model/figures.ts';
import { FIELD_GROUPS, fieldsIn, PARCEL_FIELDS } from '../../../shared/model/parcel-fields.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { notFound } from '../../http/error-responses.ts';
import { type CountyQuality, readQuality } from '../../v1/feeds/get-county-quality.ts';
import { Result } from '../frame/form-result.tsx';
import { Crumbs, Grid, LinkButton, Meter, Stat } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { readParts } from '../parts/county-part.ts';
import { NoParcels } from '../parts/no-parcels.tsx';
import { CountySales, readSales, saleActions } from './county-sales.tsx';
import { KIND_WORDS } from './coverage-page.tsx';
import { Studies } from './ratio-studies.tsx';

/** A county's data quality: the numbers from `coverage/{fips}/quality/`, for reading and printing. */
export const countyRecordPage: Page = {
  path: '/coverage/:fips',
  access: 'session',
  actions: saleActions,
  async show(visit, result) {
    const { resources, now } = visit.deps;
    const code = String(visit.req.params.fips);
    const isFips = /^\d{5}$/.test(code);
    const quality = isFips ? await readQuality(resources.db, code, now()) : undefined;
    const title = isFips ? countyText(Number(code)) : '';
    if (quality === undefined && title === '')
      throw notFound('No county has this FIPS code. Check the address.');
    const crumbs = <Crumbs of={[['Coverage', '/coverage'], [title]]} />;
    if (quality === undefined)
      return {
        title: `${title}: not loaded`,
        body: (
          <>
            {crumbs}
            <h1>{title}</h1>
            <NoParcels visit={visit} counties={[Number(code)]} />
          </>
        ),
      };
    const part = (await readParts(resources.db, [Number(code)])).get(Number(code));
    const body = (
      <div class="record">
        {crumbs}
        <Head code={code} title={title} part={part} computedAt={quality.computed_at} />
        <Result of={result} />
        <Figures quality={quality} />
        <Studies quality={quality} />
        <Confidence order={quality.confidence} />
        <CountySales sales={quality.sales} lists={await readSales(visit, Number(code))} />
        <Fields quality={quality} />
        <h2>Data sources</h2>
        <Grid
          name="Data sources"
          heads={['Source', 'Kind', 'As of', 'Age', 'Loaded']}
          rows={quality.sources.map(({ name, kind, as_of, age_days, merged_at }) => [
            name,
            KIND_WORDS[kind],
            as_of ? day(as_of) : 'unknown',
            age_days === null ? '–' : ageOf(age_days),
            merged_at ? day(merged_at) : '–',
          ])}
        />
        <Runs quality={quality} />
      </div>
    );
    return { title: `${title}: data quality`, body, assetNames: ['cards.css'] };
  },
};

type HeadProps = {
  code: string;
  title: string;
  part: string | undefined;
  computedAt: CountyQuality['computed_at'];
};

function Head({ code, title, part, computedAt }: HeadProps) {
  return (
    <header class="pagehead">
      <div>
        <h1>{title}: data quality</h1>
        <p>
          {part && <b data-part>Loaded: {part}. </b>}
          <small>
            {computedAt
              ? `Calculated ${day(computedAt)}`
              : 'Completeness and studies will appear once Plat has valued the county'}
          </small>
        </p>
      </div>
      <div class="buttons">
        <LinkButton to={`/markets/${code}`} words="See market" kind="second" />
        <LinkButton to={`/data?county=${code}`} words="Show parcels on map" kind="second" />
      </div>
    </header>
  );
}

const shareOf = (share: number | null): string => (share === null ? '–' : percent(100 * share));

function Figures({ quality }: { quality: CountyQuality }) {
  const { parcels, rows, boundaries, acreage_agrees, acreage_compared, ids_kept, sources } = quality;
  const roll = sources.find(({ kind }) => kind === 'assessor');
  const cards: [name: string, value: string, note: string][] = [
    ['Parcels', parcels === null ? '–' : count(parcels), 'on the roll'],
    ['Roll age', roll?.age_days == null ? '–' : ageOf(roll.age_days), roll ? rollNote(roll) : 'no roll'],
    [
      'Rows used',
      rows === null || rows.read === 0 ? '–' : percent(100 * (1 - rows.rejected / rows.read)),
      rows === null ? 'no roll' : `${count(rows.rejected)} of ${count(rows.read)} rejected`,
    ],
    ['With boundary', shareOf(boundaries), 'of parcels'],
    [
      'Acreage matches',
      shareOf(acreage_agrees),
      acreage_compared
        ? `deed vs. map, for ${count(acreage_compared)} parcels with both`
        : 'no parcel has both deed and map acreage',
    ],
    ['IDs kept', shareOf(ids_kept), ids_kept === null ? 'loaded only once' : 'of parcels, at the last load'],
  ];
  return (
    <dl class="cards">
      {cards.map(([name, value, note]) => (
        <Stat card name={name} value={value} note={note} />
      ))}
    </dl>
  );
}

const rollNote = ({ as_of, merged_at }: CountyQuality['sources'][number]): string => {
  if (as_of) return `as of ${day(as_of)}`;
  return merged_at ? `unknown, loaded ${day(merged_at)}` : 'unknown';
};

/** Shows whether confidence grades are meaningful in the county. */
function Confidence({ order: { ranks, sales, points, low, high } }: { order: CountyQuality['confidence'] }) {
  if (ranks === null) return null;
  const measured =
    points === null
      ? ''
      : ` Share of past estimates within 25% of the price, higher-confidence half minus lower-confidence half: ${oneDigit(points)} percentage points (90% interval: ${oneDigit(low!)} to ${oneDigit(high!)}).`;
  return (
    <>
      <h2>Confidence</h2>
      <p data-confidence-ranks={String(ranks)}>
        {ranks
          ? 'Estimates with higher confidence are closer to the price. Parcel pages grade them as low, medium, or high.'
          : `Not ranked in this county (${count(sales!)} past ${sales === 1 ? 'sale' : 'sales'}). Past sales don't show that estimates with higher confidence are closer to the price, so parcel pages don't grade confidence.`}
        {measured}
      </p>
    </>
  );
}

function Fields({ quality: { filled } }: { quality: CountyQuality }) {
  const shares = filled as Readonly<Record<string, number>>;
  if (Object.keys(shares).length === 0) return null;
  const missing = Object.entries(PARCEL_FIELDS).filter(([name]) => !shares[name]);
  return (
    <>
      <h2>Completeness</h2>
      <div class="pair fields">
        {FIELD_GROUPS.map(group => {
          const known = fieldsIn(group, PARCEL_FIELDS).filter(([name]) => shares[name]);
          return (
            known.length > 0 && (
              <section class="card">
                <h3>{group}</h3>
                <dl class="filled">
                  {known.map(([name, { label }]) => (
                    <div>
                      <dt>{label}</dt>
                      <dd>
                        <Meter percent={100 * shares[name]!} />
                        <span class="share">{percent(100 * shares[name]!)}</span>
                      </dd>
                    </div>
                  ))}
                </dl>
              </section>
            )
          );
        })}
      </div>
      {missing.length > 0 && (
        <p>
          <b>Not in this roll</b>: {missing.map(([, { label }]) => label).join(', ')}.
        </p>
      )}
    </>
  );
}

function Runs({ quality: { history } }: { quality: CountyQuality }) {
  if (history.length === 0) return null;
  const isShared = history.some(({ counties }) => counties > 1);
  return (
    <>
      <h2>Load history</h2>
      {isShared && <p>For a file with several counties, the numbers cover all of them.</p>}
      <Grid
        name="Load history"
        heads={[
          'Loaded',
          'Feed',
          'Result',
          'Rows',
          'Rejected',
          'Parcels',
          'New',
          'Changed',
          'Retired',
          'IDs kept',
        ]}
        rows={history.map(run => [
          day(run.finished_at),
          run.feed,
          run.status === 'merged' ? 'Merged' : 'Blocked',
          count(run.rows.read),
          count(run.rows.rejected),
          run.parcels === null ? '–' : count(run.parcels),
          count(run.new),
          count(run.changed),
          count(run.retired),
          shareOf(run.ids_kept),
        ])}
      />
    </>
  );
}

const DAYS_PER_MONTH = 365.25 / 12;

function ageOf(days: number): string {
  if (days < 60) return days === 0 ? 'today' : days === 1 ? '1 day' : `${count(days)} days`;
  if (days < 730) return `${count(days / DAYS_PER_MONTH)} months`;
  return `${oneDigit(days / 365.25)} years`;
}
