import { acres, usd } from '../../../shared/model/figures.ts';
import { titleCase } from '../../../shared/model/roll-text.ts';
import { html, type Markup, nodeOf } from '../frame/html.ts';
import { mailPlaceOf, nameOf, type ResultRow } from './result-rows.ts';
import { openerOf } from './result-views.tsx';
import { selectBox } from './selection-bar.tsx';

export function ResultList({ url, rows }: { url: URL; rows: readonly ResultRow[] }) {
  const opens = openerOf(url);
  const items = rows.map((row, at) => listRow(row, opens(row.property_id, at)));
  return <ul class="hits picks">{nodeOf(items)}</ul>;
}

function listRow(row: ResultRow, address: string): Markup {
  const { property_id: id, value, value_per_acre } = row;
  const name = nameOf(row);
  const perAcre = value_per_acre == null ? '' : `${usd(value_per_acre)}/ac`;
  const dot = row.swatch !== undefined && dotOf(row.swatch);
  return html`<li>
    ${selectBox(row)}
    <a href="${address}" data-parcel="${id}" data-point="${row.point?.join(',') ?? ''}">
      <b>${name}</b>
      <span>${value == null ? '–' : usd(value)}</span>
      <small>${perAcre === '' && dot}${factsOf(row)}</small>
      ${perAcre !== '' && html`<small>${dot}${perAcre}</small>`}
    </a>
  </li>`;
}

const dotOf = (swatch: string): Markup =>
  swatch.startsWith('#')
    ? html`<svg class="swatch" viewBox="0 0 10 10" aria-hidden="true"><rect width="10" height="10" fill="${swatch}"/></svg> `
    : html`<i class="swatch ${swatch}"></i> `;

function factsOf(row: ResultRow): string {
  const { effective_acres, owner_name } = row;
  return [
    effective_acres !== null && `${acres(effective_acres)} ac`,
    owner_name === null ? 'Unknown owner' : titleCase(owner_name),
    mailPlaceOf(row),
  ]
    .filter(Boolean)
    .join(' · ');
}
