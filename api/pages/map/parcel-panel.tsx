import type { ComponentChildren } from 'preact';
import { namedText } from '../../../shared/model/field-of-change.ts';
import { fieldText } from '../../../shared/model/field-text.ts';
import { count, day } from '../../../shared/model/figures.ts';
import { type FieldGroup, fieldsIn } from '../../../shared/model/parcel-fields.ts';
import { PRICES, tokensText } from '../../../shared/model/prices.ts';
import { nameOfParcel, shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { Icon, type IconName } from '../frame/icons.tsx';
import { Facts, Submit } from '../frame/layout.tsx';
import type { Detail } from '../parts/read-detail.ts';
import { Assemblage, tabOfAssemblage } from './parcel-assemblage.tsx';
import { BuildableLand } from './parcel-buildable.tsx';
import { ASSESSED_FIELDS, Assessments, KeyFigures, NoEstimate } from './parcel-figures.tsx';
import { ParcelHistory } from './parcel-history.tsx';
import { frontageOf, LandFacts, Slopes } from './parcel-land.tsx';
import { type OverlayFigures, ParcelOverlays } from './parcel-overlays-section.tsx';
import { Overview } from './parcel-overview.tsx';
import { Owner } from './parcel-owner.tsx';
import { Neighbors, type ParcelPlace } from './parcel-place.tsx';
import { CompsNearby, EstimateRange, similarSalesText, UsedComps } from './parcel-value.tsx';
import type { ParcelData } from './read-parcel.ts';

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
  const { detail, photo, value, order, places, comps, market, portfolio, phones, phoneFault } = parcel;
  const isValued = !('why' in value);
  return (
    <article class="parcel" id="parcel">
      <Neighbors url={parcel.url} place={parcel.place} />
      <Head detail={detail} url={parcel.url} />
      <KeyFigures detail={detail} value={value} market={market} order={order} />
      {isValued ? (
        <EstimateRange value={value} detail={detail} order={order} />
      ) : (
        <NoEstimate detail={detail} />
      )}
      <Actions detail={detail} isLookedUp={phones?.trace.matched === true} />
      <Tabs
        of={[
          ['overview', 'Overview'],
          ['land', 'Land'],
          ...tabOfAssemblage(parcel.assemblage),
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
        <BuildableLand detail={detail} />
        <FieldFacts group="Land" detail={detail} />
        <Slopes shares={detail.steeper_percent as number[] | null} />
        <ParcelOverlays figures={detail.overlays as OverlayFigures} declared={parcel.overlays} />
      </section>
      <Assemblage detail={detail} parts={parcel.assemblage} />
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
        {isValued && <UsedComps value={value} places={places} detail={detail} />}
        <CompsNearby comps={comps} detail={detail} />
      </section>
      <section id="roll">
        <h2>Assessor roll</h2>
        <FieldFacts group="Location" detail={detail} />
        <Assessments detail={detail} />
        <FieldFacts group="Buildings and values" detail={detail} />
        <FieldFacts group="Sale and mortgage" detail={detail} />
      </section>
      <ParcelHistory timeline={detail.timeline} />
    </article>
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

function Head({ detail, url }: { detail: Detail; url: URL }) {
  const { apn, situs_city, situs_state, situs_zip, point } = detail;
  const place = [situs_city && titleCase(situs_city), [situs_state, situs_zip].filter(Boolean).join(' ')];
  return (
    <header>
      <h1>{nameOfParcel(detail)}</h1>
      <a
        class="button second only share"
        href={`/data/share${url.search}`}
        data-dialog
        aria-label="Share this parcel"
        title="Share this parcel"
      >
        <Icon name="share-2" />
      </a>
      <p>{[place.filter(Boolean).join(', '), countyText(Number(detail.fips))].filter(Boolean).join(' · ')}</p>
      <p class="ids">
        {apn && <Copy text={apn} words={`APN ${shortApn(apn)}`} title={`On the roll: ${apn}`} />}
        {point && <Spot point={point} />}
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
      <Action to="/lists/add" field="property_id" id={id} kind="second" icon="list-plus" dialog>
        Add to list
      </Action>
      <Action to="/comping" field="property_id" id={id} kind="second" icon="scale">
        Run comps
      </Action>
      <Action to="/deals/add" field="property_id" id={id} kind="second" icon="handshake" dialog>
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
  dialog?: boolean;
  icon: IconName;
  children: ComponentChildren;
};

const Action = ({ to, field, id, does, kind, dialog, icon, children }: ActionProps) => (
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
      dialog={dialog}
    />
  </form>
);

/** Fields that other parts of the page show. */
const SHOWN = new Set([
  'apn',
  'acres',
  'calculated_acres',
  'acres_mismatch',
  'situs_address',
  'situs_city',
  'situs_state',
  'situs_zip',
  'access',
  'landlocked',
  'vacant',
  'land_use_code',
  'structure_count',
  'waterfront',
  'waterfront_ft',
  'water_name',
  'wetlands_percent',
  'flood_zone_percent',
  'mean_slope_percent',
  'buildable_acres',
  'buildable_percent',
  'buildable_patch_acres',
  ...ASSESSED_FIELDS,
]);

/** Frontage is worth a line only if there are several kinds, because the land facts show the total. */
const isFrontageOnce = (name: string, detail: Detail): boolean =>
  name.endsWith('frontage_ft') && (detail[name] === 0 || detail[name] === frontageOf(detail));

function FieldFacts({ group, detail }: { group: FieldGroup; detail: Detail }) {
  const facts = fieldsIn(group).flatMap(([name, spec]): [string, string][] => {
    const value = detail[name];
    if (SHOWN.has(name) || value === false || isFrontageOnce(name, detail)) return [];
    if (fieldText(spec, value) === undefined) return [];
    return [[spec.label, namedText(name, spec, value)]];
  });
  return facts.length > 0 && <Facts of={facts} />;
}
