import { acres, usd } from '../../../shared/domain/figures.ts';
import { titleCase } from '../../../shared/domain/roll-text.ts';
import { withParam } from '../frame/visit.ts';
import { mailPlaceOf, nameOf, type ResultRow } from './result-rows.ts';
import { SelectParcel } from './selection-bar.tsx';

type ListProps = { url: URL; rows: readonly ResultRow[] };

export const ResultList = ({ url, rows }: ListProps) => {
  const opens = withParam(url, 'parcel', '');
  return (
    <ul class="hits picks">
      {rows.map(row => (
        <li>
          <SelectParcel id={row.property_id} name={nameOf(row)} acres={row.effective_acres} />
          <a href={opens + row.property_id} data-parcel={row.property_id} data-point={row.point?.join(',')}>
            <b>{nameOf(row)}</b>
            <span>{row.value == null ? '–' : usd(row.value)}</span>
            <small>{factsOf(row)}</small>
            {row.value_per_acre != null && <small>{usd(row.value_per_acre)}/ac</small>}
          </a>
        </li>
      ))}
    </ul>
  );
};

function factsOf(row: ResultRow): string {
  const { effective_acres, owner_name } = row;
  return [
    effective_acres !== null && `${acres(effective_acres)} ac`,
    owner_name === null ? 'Owner unknown' : titleCase(owner_name),
    mailPlaceOf(row),
  ]
    .filter(Boolean)
    .join(' · ');
}
