import { NEEDS } from '../../model/loaded-data.ts';
import { ACRES_SLACK } from '../../model/shown-acres.ts';
import { defineFilter, type Filter, rangeFilter, wholeNumber } from './declare-filter.ts';

/** Filters on an owner's lots that are next to each other. Parcels that are alone never match. */
export const assemblageFilters: Filter[] = [
  ...rangeFilter({
    name: 'assemblage_acres',
    label: 'Assemblage acres',
    needs: NEEDS.owners,
    column: 'g.acres',
    slack: ACRES_SLACK,
    type: 'number',
    unit: 'acres',
    on: 'g',
    description: "Acres of the owner's lots within 30 m of each other",
  }),
  defineFilter({
    name: 'assemblage_parcels_min',
    label: 'Assemblage lots',
    needs: NEEDS.owners,
    type: 'integer',
    description: 'Minimum number of these lots. 2 finds every assemblage.',
    schema: wholeNumber(),
    on: 'g',
    where: (parcels, { bind }) => `g.parcels >= ${bind(parcels)}::bigint`,
  }),
];
