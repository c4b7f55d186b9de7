import { rowFields } from '../../../feeds/feed-columns.ts';
import { vectorKind } from '../../layers/vector-kind.ts';

/** Areas of ZIP codes, which maps show. */
export const zips = vectorKind({
  kind: 'zips',
  rows: rowFields({ zip: { type: 'zip', doc: '5-digit ZIP code of the area' } }),
  requires: ['zip'],
  // The census of 2020 before 2010.
  usual: { zip: { first_of: ['ZCTA5CE20', 'ZCTA5CE10'] } },
  geometry: 'areas',
  classify:
    () =>
    ([zip]) =>
      zip == null ? null : { class: zip, label: 'ZIP area' },
});
