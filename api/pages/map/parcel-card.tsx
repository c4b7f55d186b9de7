import { renderToString } from 'preact-render-to-string';
import { acres, usd } from '../../../shared/model/figures.ts';
import { countyOf } from '../../../shared/model/property-id.ts';
import { shortApn, titleCase } from '../../../shared/model/roll-text.ts';
import { fiveDigits } from '../../../shared/regions/counties.ts';
import { notFound } from '../../http/error-responses.ts';
import { filterParcels } from '../../v1/parcels/filter/filter-parcels.ts';
import { Icon } from '../frame/icons.tsx';
import { Stat } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint } from '../frame/visit.ts';
import { mailPlaceOf, nameOf, type ResultRow, readRows } from './result-rows.ts';
import type { SearchResult } from './search-results.tsx';

/** What the map shows about the parcel under the mouse, as a fragment of a page. */
export const parcelCardPage: Page = {
  path: '/data/card/:id',
  access: 'app',
  async get(visit) {
    const id = Number(visit.req.params.id);
    const found = await callEndpoint<SearchResult>(visit, filterParcels, {
      body: { county: fiveDigits(countyOf(id)), property_id: id },
      query: { page_size: '1' },
    });
    const [row] = await readRows(visit, found.results);
    if (row === undefined) throw notFound('Parcel not found.');
    return { data: renderToString(<Card row={row} />), type: 'text/html; charset=utf-8', maxAge: 60 };
  },
};

function Card({ row }: { row: ResultRow }) {
  const { apn, situs_address, situs_city, effective_acres, value, value_per_acre, owner_name } = row;
  const facts = [
    situs_city && titleCase(situs_city),
    effective_acres !== null && `${acres(effective_acres)} acres`,
    row.vacant === true && 'vacant',
  ];
  const owner = [owner_name && titleCase(owner_name), mailPlaceOf(row)].filter(Boolean).join(', ');
  return (
    <>
      <header>
        <b>{nameOf(row)}</b>
        {situs_address && apn !== null && <span class="badge">APN {shortApn(apn)}</span>}
      </header>
      <small>{facts.filter(Boolean).join(' · ')}</small>
      {value != null && (
        <dl>
          <Stat name="Estimated value" value={usd(value)} />
          {value_per_acre != null && <Stat name="Per acre" value={usd(value_per_acre)} />}
        </dl>
      )}
      {owner !== '' && (
        <p>
          <Icon name="user" /> {owner}
        </p>
      )}
    </>
  );
}
