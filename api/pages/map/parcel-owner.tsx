import type { MailPlace } from '../../../shared/contacts/calling-hours.ts';
import { acres } from '../../../shared/model/figures.ts';
import { mailLines, nameOfParcel, titleCase } from '../../../shared/model/roll-text.ts';
import type { FoundPhones } from '../../v1/common/found-phones.ts';
import type { Portfolio } from '../../v1/parcels/owner-portfolio.ts';
import { Notice } from '../frame/layout.tsx';
import { PhoneList } from '../parts/phone-list.tsx';
import type { Detail } from '../parts/read-detail.ts';
import type { Missing } from './read-parcel.ts';

const MAX_LISTED = 20;

type OwnerProps = {
  detail: Detail;
  portfolio: Portfolio | Missing;
  phones: FoundPhones | undefined;
  fault: string | undefined;
  now: Date;
};

/** The owner, their mailing address, any phone numbers that were looked up, and their other parcels. */
export function Owner({ detail, portfolio, phones, fault, now }: OwnerProps) {
  const lines = mailLines(detail);
  const names = [detail.owner_name, detail.owner_name_2].filter(name => typeof name === 'string');
  return (
    <>
      <div class="card own">
        {names.length === 0 ? <p>No owner on the roll.</p> : <h3>{names.map(titleCase).join(' and ')}</h3>}
        {lines.length > 0 && (
          <address>
            {lines.map(line => (
              <span>{line}</span>
            ))}
          </address>
        )}
        <p class="chips">
          {badgesOf(detail).map(([words, kind]) => (
            <span class={kind ? `badge ${kind}` : 'badge'}>{words}</span>
          ))}
        </p>
        {fault && <Notice kind="bad">{fault}</Notice>}
        {phones && <PhoneList found={phones} place={detail as unknown as MailPlace} now={now} />}
      </div>
      {names.length > 0 && <Others detail={detail} portfolio={portfolio} />}
    </>
  );
}

function badgesOf(detail: Detail): [words: string, kind?: string][] {
  const {
    owner_occupied,
    out_of_state_owner,
    out_of_county_owner,
    corporate_owner,
    hoa_owner,
    ownership_months,
  } = detail;
  const badges: [string, string?][] = [];
  if (owner_occupied) badges.push(['Owner-occupied']);
  if (out_of_state_owner) badges.push(['Out-of-state owner', 'info']);
  else if (out_of_county_owner) badges.push(['Out-of-county owner', 'info']);
  if (hoa_owner) badges.push(["Homeowners' association"]);
  else if (corporate_owner) badges.push(['Company']);
  if (typeof ownership_months === 'number') badges.push([ownedFor(ownership_months)]);
  return badges;
}

function ownedFor(months: number): string {
  const of = (n: number, unit: string) => (n === 0 ? [] : [`${n} ${unit}${n === 1 ? '' : 's'}`]);
  const parts = [...of(Math.floor(months / 12), 'year'), ...of(months % 12, 'month')];
  return parts.length === 0 ? 'Bought this month' : `Owned ${parts.join(' ')}`;
}

function Others({ detail, portfolio }: Pick<OwnerProps, 'detail' | 'portfolio'>) {
  if ('why' in portfolio)
    return <p class="hint">We can't match this owner to other parcels: {reasonOf(portfolio.why, detail)}</p>;
  const { total_parcels, total_acres, total_counties, results } = portfolio;
  const isSkipped = detail.assemblage_reason === 'owner_has_too_many_parcels';
  if (total_parcels === 1) return <p class="hint">No other parcels found for this owner.</p>;
  return (
    <>
      <h3>This owner's {total_parcels} parcels</h3>
      <p class="hint">
        {acres(total_acres)} acres in {total_counties} {total_counties === 1 ? 'county' : 'counties'}
      </p>
      {isSkipped && (
        <p class="hint" id="too-many">
          Plat doesn't look for lots that are next to each other, because this owner has more than 500 in the
          county.
        </p>
      )}
      <ul class="hits">
        {results
          .filter(({ property_id }) => property_id !== detail.property_id)
          .slice(0, MAX_LISTED)
          .map(({ property_id, situs_address, apn, effective_acres }) => (
            <li>
              <a href={`/data?parcel=${property_id}`}>
                <b>{nameOfParcel({ situs_address, apn })}</b>
                <span>{effective_acres === null ? '' : `${acres(effective_acres)} ac`}</span>
              </a>
            </li>
          ))}
      </ul>
      {total_parcels > MAX_LISTED && (
        <p class="more">
          <a href={`/data?owner_parcel_id=${detail.property_id}`}>Show all {total_parcels} on the map</a>
        </p>
      )}
    </>
  );
}

/** Owners abroad have an address, but not one that can be matched across US rolls. */
function reasonOf(why: string, { mail_address, mail_state, mail_zip }: Detail): string {
  if (mail_address && mail_zip) return why;
  return mail_address && !mail_state && !mail_zip
    ? 'the mailing address has no state and ZIP code, or is outside the US.'
    : 'the roll has no mailing address for this owner.';
}
