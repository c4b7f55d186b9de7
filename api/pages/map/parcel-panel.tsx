import type { ComponentChildren } from 'preact';
import { fieldText } from '../../../shared/domain/field-text.ts';
import { acres, day, usd } from '../../../shared/domain/figures.ts';
import { type FieldGroup, fieldsIn } from '../../../shared/domain/parcel-fields.ts';
import { shortApn, titleCase } from '../../../shared/domain/roll-text.ts';
import { countyText } from '../../../shared/regions/counties.ts';
import { Icon, type IconName } from '../frame/icons.tsx';
import { Back, Facts, Notice, Stat, Submit } from '../frame/layout.tsx';
import { certaintyOf } from '../frame/value-band.tsx';
import { ParcelHistory } from './parcel-history.tsx';
import { LandFacts, Slopes } from './parcel-land.tsx';
import { Owner } from './parcel-owner.tsx';
import { PHONE_TOKENS } from './parcel-phones.ts';
import { CompsNearby, UsedComps, Worth } from './parcel-value.tsx';
import type { Detail } from './read-detail.ts';
import type { ParcelData, Photo } from './read-parcel.ts';

type PanelProps = ParcelData & {
  /** The list that the parcel was opened from. */
  back: string;
  /** Why the owner's numbers could not be looked up. */
  phoneFault?: string | undefined;
};

/** A parcel: what it is and is worth first, then what one can do, then all that is known of it. */
export function ParcelPanel(parcel: PanelProps) {
  const { detail, photo, value, comps, portfolio, phones, back, phoneFault } = parcel;
  const id = detail.property_id;
  const isValued = !('why' in value);
  return (
    <article class="parcel" id="parcel">
      <Back to={back} words="Back to the list" />
      <Head detail={detail} />
      <dl class="keyfigs">
        <Stat
          name="Size"
          value={detail.effective_acres === null ? '–' : `${acres(detail.effective_acres)} ac`}
          note={typeof detail.calculated_acres === 'number' && `measured ${acres(detail.calculated_acres)}`}
        />
        <Stat
          name="Worth"
          value={isValued ? usd(value.mean_adjusted_price) : '–'}
          note={isValued ? `${certaintyOf(value.confidence_score).toLowerCase()} confidence` : 'no estimate'}
        />
        {isValued ? (
          <Stat name="Per acre" value={usd(value.mean_adjusted_ppa)} />
        ) : (
          typeof detail.assessed_land_value === 'number' && (
            <Stat name="Assessed" value={usd(detail.assessed_land_value)} note="land only" />
          )
        )}
      </dl>
      {isValued ? <Worth value={value} /> : <Notice>No estimate. {value.why}</Notice>}
      <Actions detail={detail} isLookedUp={phones?.trace.matched === true} />
      <nav class="tabs" aria-label="Parts of the parcel">
        <a href="#overview">Overview</a>
        <a href="#land">Land</a>
        <a href="#owner">Owner</a>
        <a href="#value">Value</a>
        <a href="#roll">Roll</a>
        <a href="#history">History</a>
      </nav>
      <section id="overview" aria-label="Overview">
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
      </section>
      <section id="land">
        <h2>Land</h2>
        <LandFacts detail={detail} />
        <FieldFacts group="Land" detail={detail} />
        <Slopes shares={detail.steeper_percent as number[] | null} />
      </section>
      <section id="owner">
        <h2>Owner</h2>
        <Owner detail={detail} portfolio={portfolio} phones={phones} fault={phoneFault} />
      </section>
      <section id="value">
        <h2>Value and comps</h2>
        {isValued && <UsedComps value={value} comps={comps} />}
        <CompsNearby comps={comps} />
      </section>
      <section id="roll">
        <h2>From the roll</h2>
        {(['Place', 'Buildings and values', 'Sale and mortgage'] as const).map(group => (
          <FieldFacts group={group} detail={detail} />
        ))}
      </section>
      <ParcelHistory timeline={detail.timeline} />
    </article>
  );
}

function Head({ detail }: { detail: Detail }) {
  const { apn, situs_address, situs_city, situs_state, situs_zip, point, property_id } = detail;
  const place = [situs_city && titleCase(situs_city), [situs_state, situs_zip].filter(Boolean).join(' ')];
  return (
    <header>
      <h1>{situs_address ? titleCase(situs_address) : `APN ${apn ? shortApn(apn) : property_id}`}</h1>
      <p>
        {[...place, countyText(Number(detail.fips))].filter(Boolean).join(' · ')}
        <br />
        <small>
          {apn && <span title={`As on the roll: ${apn}`}>APN {shortApn(apn)}</span>} · id {property_id}
          {point && (
            <>
              {' · '}
              <a
                href={`https://www.openstreetmap.org/directions?to=${point[1]},${point[0]}`}
                rel="noreferrer"
              >
                Directions
              </a>
            </>
          )}
        </small>
      </p>
      {detail.retired_at != null && (
        <p class="notice">This parcel left the roll on {day(String(detail.retired_at))}.</p>
      )}
    </header>
  );
}

/** What one does with a parcel; what costs tokens says so on its button. */
function Actions({ detail, isLookedUp }: { detail: Detail; isLookedUp: boolean }) {
  const id = detail.property_id;
  return (
    <div class="acts">
      {typeof detail.owner_name !== 'string' || detail.retired_at != null ? (
        <button type="button" disabled>
          <Icon name="phone" /> Phone numbers: no owner on file
        </button>
      ) : isLookedUp ? (
        <a class="button" href="#owner">
          <Icon name="phone" /> Phone numbers
        </a>
      ) : (
        <Action field="property_id" id={id} does="phones" icon="phone">
          Phone numbers <small>{PHONE_TOKENS} tokens</small>
        </Action>
      )}
      <Action to="/comping" field="property_id" id={id} kind="second" icon="scale">
        Comp report
      </Action>
      <Action to="/lists/add" field="property_id" id={id} kind="second" icon="list-plus">
        Add to list
      </Action>
      <Action to="/deals" field="what" id={id} does="add" kind="second" icon="handshake">
        Add deal
      </Action>
    </div>
  );
}

type ActionProps = {
  /** The page that does it, where it is not this one. */
  to?: string;
  /** The field that carries the parcel's id. */
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

/** What the head, the land's tiles and the owner's card say already. */
const SHOWN = new Set([
  'apn',
  'situs_address',
  'situs_city',
  'situs_state',
  'situs_zip',
  'landlocked',
  'vacant',
  'wetlands_percent',
  'flood_zone_percent',
  'mean_slope_percent',
]);

/** Nobody looks for what is not so: no company, no frontage on a highway. */
const isNothing = (name: string, value: unknown): boolean =>
  value === false || (value === 0 && name.endsWith('frontage_ft'));

/** The fields of a group that are known. */
function FieldFacts({ group, detail }: { group: FieldGroup; detail: Detail }) {
  const facts = fieldsIn(group).flatMap(([name, spec]): [string, string][] => {
    const text = SHOWN.has(name) || isNothing(name, detail[name]) ? undefined : fieldText(spec, detail[name]);
    return text === undefined ? [] : [[spec.label, text]];
  });
  return facts.length > 0 && <Facts of={facts} />;
}
