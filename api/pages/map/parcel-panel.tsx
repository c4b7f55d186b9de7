import type { ComponentChildren } from 'preact';
import { fieldText } from '../../../shared/model/field-text.ts';
import { acres, count, day, usd } from '../../../shared/model/figures.ts';
import { type FieldGroup, fieldsIn } from '../../../shared/model/parcel-fields.ts';
import { PRICES, tokensText } from '../../../shared/model/prices.ts';
import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { Icon, type IconName } from '../frame/icons.tsx';
import { Facts, Notice, Stat, Submit } from '../frame/layout.tsx';
import { certaintyText } from '../frame/value-band.tsx';
import type { Detail } from '../parts/read-detail.ts';
import { ParcelHistory } from './parcel-history.tsx';
import { LandFacts, Slopes } from './parcel-land.tsx';
import { Owner } from './parcel-owner.tsx';
import { Neighbors, type ParcelPlace } from './parcel-place.tsx';
import { CompsNearby, EstimateRange, similarSalesText, UsedComps } from './parcel-value.tsx';
import type { ParcelData, Photo } from './read-parcel.ts';

type PanelProps = ParcelData & {
  url: URL;
  /** The parcel's position in the results that it was opened from. */
  place: ParcelPlace | undefined;
  /** Why the phone numbers could not be looked up. */
  phoneFault?: string | undefined;
  now: Date;
};

/** A parcel: its key figures, then actions, then all of its data. */
export function ParcelPanel(parcel: PanelProps) {
  const { detail, photo, value, order, addresses, comps, market, portfolio, phones, url, place, phoneFault } =
    parcel;
  const isValued = !('why' in value);
  return (
    <article class="parcel" id="parcel">
      <Neighbors url={url} place={place} />
      <Head detail={detail} />
      <KeyFigures detail={detail} value={value} market={market} order={order} />
      {isValued ? (
        <EstimateRange value={value} detail={detail} order={order} />
      ) : (
        <Notice>No estimate. {value.why}</Notice>
      )}
      <Actions detail={detail} isLookedUp={phones?.trace.matched === true} />
      <Tabs
        of={[
          ['overview', 'Overview'],
          ['land', 'Land'],
          ['owner', 'Owner', 'why' in portfolio ? undefined : portfolio.total_parcels],
          ['value', 'Value', isValued ? value.explanation.comps.length : undefined],
          ['roll', 'Roll'],
          ['history', 'History', detail.timeline.length || undefined],
        ]}
      />
      <Overview detail={detail} photo={photo} />
      <section id="land">
        <h2>Land</h2>
        <LandFacts detail={detail} />
        <FieldFacts group="Land" detail={detail} />
        <Slopes shares={detail.steeper_percent as number[] | null} />
      </section>
      <section id="owner">
        <h2>Owner</h2>
        <Owner detail={detail} portfolio={portfolio} phones={phones} fault={phoneFault} now={parcel.now} />
      </section>
      <section id="value">
        <h2>Value and comps</h2>
        {market && (
          <p>
            {similarSalesText(market)}. <a href={`/markets/${market.fips}`}>See market</a>
          </p>
        )}
        {isValued && <UsedComps value={value} addresses={addresses} />}
        <CompsNearby comps={comps} />
      </section>
      <section id="roll">
        <h2>Assessor roll</h2>
        {(['Location', 'Buildings and values', 'Sale and mortgage'] as const).map(group => (
          <FieldFacts group={group} detail={detail} />
        ))}
      </section>
      <ParcelHistory timeline={detail.timeline} />
    </article>
  );
}

type FigureProps = Pick<PanelProps, 'detail' | 'value' | 'market' | 'order'>;

function KeyFigures({ detail, value, market, order }: FigureProps) {
  const isValued = !('why' in value);
  return (
    <dl class="keyfigs">
      <Stat
        name="Size"
        value={detail.effective_acres === null ? '–' : `${acres(detail.effective_acres)} ac`}
        note={typeof detail.calculated_acres === 'number' && `measured ${acres(detail.calculated_acres)}`}
      />
      <Stat
        name="Estimated value"
        value={isValued ? usd(value.mean_adjusted_price) : '–'}
        note={isValued ? certaintyText(value.confidence_score, order) : 'no estimate'}
      />
      {isValued ? (
        <Stat
          name="Per acre"
          value={usd(value.mean_adjusted_ppa)}
          note={
            market && (
              <a href="#value" title={similarSalesText(market)}>
                county {usd(market.medianPerAcre)}
              </a>
            )
          }
        />
      ) : (
        typeof detail.assessed_land_value === 'number' && (
          <Stat name="Assessed value" value={usd(detail.assessed_land_value)} note="land only" />
        )
      )}
    </dl>
  );
}

function Overview({ detail, photo }: Pick<PanelProps, 'detail' | 'photo'>) {
  return (
    <section id="overview" aria-label="Overview">
      {photo && <ParcelPhoto photo={photo} />}
      {detail.shape ? (
        <a href={`/data/drawing/${detail.property_id}.svg`} class="drawing">
          <img
            src={`/data/drawing/${detail.property_id}.svg`}
            alt="Map of the parcel with its boundary, roads, wetlands, flood zones, and slope"
            width="900"
            height="740"
            loading="lazy"
          />
          <small>Open land map</small>
        </a>
      ) : (
        <p>No boundary on file.</p>
      )}
    </section>
  );
}

const Tabs = ({ of }: { of: (readonly [id: string, words: string, count?: number | undefined])[] }) => (
  <nav class="tabs" aria-label="Sections">
    {of.map(([id, words, n]) => (
      <a href={`#${id}`}>
        {words} {n !== undefined && <small>{count(n)}</small>}
      </a>
    ))}
  </nav>
);

function Head({ detail }: { detail: Detail }) {
  const { apn, situs_address, situs_city, situs_state, situs_zip, point, property_id } = detail;
  const place = [situs_city && titleCase(situs_city), [situs_state, situs_zip].filter(Boolean).join(' ')];
  return (
    <header>
      <h1>{situs_address ? titleCase(situs_address) : `APN ${apn ? shortApn(apn) : property_id}`}</h1>
      <p>{[place.filter(Boolean).join(', '), countyText(Number(detail.fips))].filter(Boolean).join(' · ')}</p>
      <p class="ids">
        {apn && <Copy text={apn} words={`APN ${shortApn(apn)}`} title={`On the roll: ${apn}`} />}
        <Copy text={String(property_id)} words={`ID ${property_id}`} title="Plat's parcel ID" />
        {point && <Spot point={point} />}
        <button type="button" class="copy" data-copy="" title="Copy a link to this parcel">
          Link <Icon name="link" />
        </button>
      </p>
      {detail.retired_at != null && (
        <p class="notice">This parcel was retired from the roll on {day(String(detail.retired_at))}.</p>
      )}
    </header>
  );
}

/** The coordinates, to copy or to open for directions. */
function Spot({ point: [lon, lat] }: { point: readonly number[] }) {
  const text = `${lat!.toFixed(5)}, ${lon!.toFixed(5)}`;
  return (
    <>
      <Copy text={text} words={text} title="Latitude and longitude" />
      <a href={`https://www.openstreetmap.org/directions?to=${lat},${lon}`} rel="noreferrer">
        Directions
      </a>
    </>
  );
}

/** Text that is copied when clicked. */
const Copy = ({ text, words, title }: { text: string; words: string; title: string }) => (
  <button type="button" class="copy" data-copy={text} title={title}>
    {words} <Icon name="copy" />
  </button>
);

/** Actions on a parcel. Buttons for paid actions show the price. */
function Actions({ detail, isLookedUp }: { detail: Detail; isLookedUp: boolean }) {
  const id = detail.property_id;
  return (
    <div class="acts">
      {typeof detail.owner_name !== 'string' || detail.retired_at != null ? (
        <button type="button" disabled>
          <Icon name="phone" /> No owner to look up
        </button>
      ) : isLookedUp ? (
        <a class="button" href="#owner">
          <Icon name="phone" /> Phone numbers
        </a>
      ) : (
        <Action field="property_id" id={id} does="phones" icon="phone">
          Phone numbers <small>{tokensText(PRICES.phones.tokens)}</small>
        </Action>
      )}
      <Action to="/lists/add" field="property_id" id={id} kind="second" icon="list-plus">
        Add to list
      </Action>
      <Action to="/comping" field="property_id" id={id} kind="second" icon="scale">
        Run comps
      </Action>
      <Action to="/deals" field="property_id" id={id} does="begin" kind="second" icon="handshake">
        Add deal
      </Action>
    </div>
  );
}

type ActionProps = {
  /** The page that handles the action, if it isn't this page. */
  to?: string;
  field: string;
  id: number;
  does?: string;
  kind?: string;
  icon: IconName;
  children: ComponentChildren;
};

const Action = ({ to, field, id, does, kind, icon, children }: ActionProps) => (
  <form method="post" action={to}>
    <input type="hidden" name={field} value={id} />
    <Submit
      label={
        <>
          <Icon name={icon} /> {children}
        </>
      }
      does={does}
      kind={kind}
    />
  </form>
);

function ParcelPhoto({ photo: { path, imagery, attribution, captured } }: { photo: Photo }) {
  const background = imagery === 'aerial' ? 'an aerial photo' : 'a relief map';
  return (
    <figure class="photo">
      <a href={path}>
        <img src={path} alt={`The parcel, outlined in blue on ${background}`} width="1024" height="768" />
      </a>
      <figcaption>
        {imagery === 'aerial'
          ? `Imagery: ${attribution}`
          : 'No aerial imagery for this area. Showing a relief map.'}
        {captured && `, ${day(captured)}`}
      </figcaption>
    </figure>
  );
}

/** Fields that other parts of the page show. */
const SHOWN = new Set([
  'apn',
  'situs_address',
  'situs_city',
  'situs_state',
  'situs_zip',
  'access',
  'landlocked',
  'vacant',
  'waterfront',
  'waterfront_ft',
  'water_name',
  'wetlands_percent',
  'flood_zone_percent',
  'mean_slope_percent',
]);

/** Facts that aren't worth a line, such as that the owner isn't a company or there is no highway frontage. */
const isNothing = (name: string, value: unknown): boolean =>
  value === false || (value === 0 && name.endsWith('frontage_ft'));

function FieldFacts({ group, detail }: { group: FieldGroup; detail: Detail }) {
  const facts = fieldsIn(group).flatMap(([name, spec]): [string, string][] => {
    const text = SHOWN.has(name) || isNothing(name, detail[name]) ? undefined : fieldText(spec, detail[name]);
    return text === undefined ? [] : [[spec.label, text]];
  });
  return facts.length > 0 && <Facts of={facts} />;
}
