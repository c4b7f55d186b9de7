import { MTFCC_WATER, WATER_CLASSES } from '../../../../shared/model/land-layers.ts';
import { rowFields } from '../../../feeds/feed-columns.ts';
import { vectorKind } from '../../layers/vector-kind.ts';
import { type Classifier, NAME_FIELD, textField, unknownClass } from '../../layers/vector-layer.ts';

/** Open water: areas, for maps and shores. */
export const water = vectorKind({
  kind: 'water',
  rows: rowFields({
    class: textField(
      'Type of water: lake, river, or sea. Use skip_where for anything that is not open water',
    ),
    mtfcc: textField(
      'Feature class code in TIGER: H2030, H2040, H2041, and H2060 are lakes; H3010, H3013, and H3020 rivers; H2051 and H2053 sea; others are ignored',
    ),
    name: NAME_FIELD,
  }),
  requires: ['class', 'mtfcc'],
  // TIGER/Line.
  usual: { mtfcc: 'MTFCC', name: 'FULLNAME' },
  geometry: 'areas',
  isKnownBy: has => has('MTFCC') && has('HYDROID'),
  classify(names) {
    const [ownClass, mtfcc] = [names.indexOf('class'), names.indexOf('mtfcc')];
    return values =>
      waterClass(values[ownClass]?.toLowerCase() ?? null, values[mtfcc]?.toUpperCase() ?? null);
  },
});

function waterClass(own: string | null, code: string | null): ReturnType<Classifier> {
  if (own === null && code === null) return null;
  if (own !== null && !(WATER_CLASSES as readonly string[]).includes(own))
    return unknownClass('class', own, `not one of ${WATER_CLASSES.join(', ')}`);
  const found = own ?? MTFCC_WATER[code!] ?? null;
  return { class: found, label: found ?? code! };
}
