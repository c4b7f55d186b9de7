import { rowFields } from '../../../feeds/feed-columns.ts';
import { vectorKind } from '../../layers/vector-kind.ts';
import { type Classification, textField } from '../../layers/vector-layer.ts';

/** Wetlands: areas. Plat measures their share of a parcel. */
export const wetlands = vectorKind({
  kind: 'wetlands',
  rows: rowFields({
    attribute: textField(
      'Code in the National Wetlands Inventory, such as PFO1E. Codes that start with U are uplands',
    ),
    type: textField('Wetland type in words, such as Riverine'),
  }),
  requires: ['attribute', 'type'],
  // The National Wetlands Inventory.
  usual: { attribute: 'ATTRIBUTE', type: 'WETLAND_TYPE' },
  geometry: 'areas',
  isKnownBy: has => has('WETLAND_TYPE') && has('ATTRIBUTE'),
  classify(names) {
    const [attribute, type] = [names.indexOf('attribute'), names.indexOf('type')];
    return values => wetland(values[attribute] ?? null, values[type] ?? null);
  },
});

/** Cowardin et al. 1979, https://www.fws.gov/program/national-wetlands-inventory, by the first letter */
const SYSTEMS: Record<string, string> = {
  M: 'marine',
  E: 'estuarine',
  R: 'riverine',
  L: 'lacustrine',
  P: 'palustrine',
};

/**
 * All features in the inventory count as wetlands, including lakes, rivers, and features without a code.
 * Uplands don't.
 */
function wetland(attribute: string | null, type: string | null): Classification {
  const system = attribute?.charAt(0).toUpperCase();
  if (system === 'U' || (attribute === null && /^upland/i.test(type ?? '')))
    return { class: null, label: 'upland' };
  const label = type ?? (system === undefined ? 'unlabelled' : (SYSTEMS[system] ?? 'other'));
  return { class: attribute ?? type ?? 'unlabelled', label };
}
