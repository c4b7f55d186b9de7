import { acres, day, usd } from '../../../shared/model/figures.ts';
import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { html, type Markup, nodeOf } from '../frame/html.ts';
import { Icon } from '../frame/icons.tsx';
import { withParam } from '../frame/visit.ts';
import type { Filters } from '../parts/read-filters.ts';
import { flagsOf, mailPlaceOf, nameOf, type ResultRow } from './result-rows.ts';
import { DEFAULT_ORDER, openerOf } from './result-views.tsx';
import { selectBox } from './selection-bar.tsx';

/** Columns that the API can sort by. */
const SORTED = [
  ['acres', 'Acres'],
  ['value', 'Estimated value'],
  ['value_per_acre', '$/acre'],
  ['last_sale_date', 'Last sale'],
] as const;

type TableProps = { url: URL; rows: readonly ResultRow[]; filters: Filters };

export function ResultTable({ url, rows, filters }: TableProps) {
  const order = url.searchParams.get('order') ?? DEFAULT_ORDER;
  const opens = openerOf(url);
  const lines = rows.map((row, at) => tableRow(row, opens(row.property_id, at), filters));
  const first = new URL(withParam(url, 'page'), url);
  return (
    <div class="tablebox" role="group" tabindex={0} aria-label="Parcels">
      <table>
        <thead>
          <tr>
            <th>
              <span class="unseen">Select</span>
            </th>
            <th>Address</th>
            <th>Owner</th>
            <th>Flags</th>
            {SORTED.map(([name, words]) => (
              <SortHead name={name} words={words} order={order} url={first} />
            ))}
          </tr>
        </thead>
        <tbody>{nodeOf(lines)}</tbody>
      </table>
    </div>
  );
}

/** The first click sorts descending, and a second click sorts ascending. */
function SortHead({ name, words, order, url }: { name: string; words: string; order: string; url: URL }) {
  const sort = order === `-${name}` ? 'descending' : order === name ? 'ascending' : undefined;
  return (
    <th class="n" aria-sort={sort}>
      <a id={`sort-${name}`} href={withParam(url, 'order', sort === 'descending' ? name : `-${name}`)}>
        {words}
        {sort && <Icon name={sort === 'descending' ? 'arrow-down' : 'arrow-up'} />}
      </a>
    </th>
  );
}

const EMPTY = html`<span class="soft">–</span>`;
const dollars = (value: number | null | undefined) => (value == null ? EMPTY : usd(value));

function tableRow(row: ResultRow, address: string, filters: Filters): Markup {
  const { property_id: id, apn, owner_name, effective_acres, last_sale_date, last_sale_price } = row;
  const name = nameOf(row);
  return html`<tr>
    <td>${selectBox(row)}</td>
    <th scope="row">
      <a href="${address}" data-parcel="${id}" data-point="${row.point?.join(',') ?? ''}">${name}</a>
      ${apn !== null && row.situs_address !== null && html`<small>APN ${shortApn(apn)}</small>`}
    </th>
    <td class="owner">
      ${owner_name === null ? EMPTY : titleCase(owner_name)}<small>${mailPlaceOf(row)}</small>
    </td>
    <td class="flags">
      ${flagsOf(row, filters).map(({ words, kind }) => html`<span class="badge ${kind}">${words}</span>`)}
    </td>
    <td class="n">${effective_acres === null ? EMPTY : acres(effective_acres)}</td>
    <td class="n"><b>${dollars(row.value)}</b></td>
    <td class="n">${dollars(row.value_per_acre)}</td>
    <td class="n">
      ${last_sale_date == null ? EMPTY : day(last_sale_date)}
      ${!!last_sale_price && html`<small>${usd(last_sale_price)}</small>`}
    </td>
  </tr>`;
}
