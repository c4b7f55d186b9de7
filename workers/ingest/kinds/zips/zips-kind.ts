import { rowFields } from '../../../feeds/feed-columns.ts';
import { vectorKind } from '../../layers/vector-kind.ts';

/** ZIP code areas, for maps. */
export const zips = vectorKind({
  kind: 'zips',
  rows: rowFields({ zip: { type: 'zip', doc: '5-digit ZIP code of the area' } }),
  requires: ['zip'],
  // The 2020 census takes precedence over 2010.
  usual: { zip: { first_of: ['ZCTA5CE20', 'ZCTA5CE10'] } },
  geometry: 'areas',
  classify:
    () =>
    ([zip]) =>
      zip == null ? null : { class: zip, label: 'ZIP area' },
});
