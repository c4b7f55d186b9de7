import { rowFields } from '../../../feeds/feed-columns.ts';
import { vectorKind } from '../../layers/vector-kind.ts';
import { type Classifier, textField, unknownClass } from '../../layers/vector-layer.ts';

/** Flood zones: areas. Plat measures their share of a parcel. */
export const flood = vectorKind({
  kind: 'flood',
  rows: rowFields({
    zone: textField('Flood zone (FEMA), such as AE or X'),
    subtype: textField('Subtype of the zone, such as FLOODWAY'),
    sfha: textField(
      'Whether the area is a special flood hazard area (T or F, IN or OUT); overrides the zone',
    ),
  }),
  requires: ['zone', 'sfha'],
  // Columns of the National Flood Hazard Layer take precedence over those of the Q3 data.
  usual: {
    zone: { first_of: ['FLD_ZONE', 'ZONE'] },
    subtype: 'ZONE_SUBTY',
    sfha: { first_of: ['SFHA_TF', 'SFHA'] },
  },
  geometry: 'areas',
  isKnownBy: has => has('FLD_ZONE'),
  classify(names) {
    const [zone, subtype, sfha] = [names.indexOf('zone'), names.indexOf('subtype'), names.indexOf('sfha')];
    return values => floodZone(values[zone] ?? null, values[subtype] ?? null, values[sfha] ?? null);
  },
});

/** Zone numbers range from 1 to 30. In policies and claims, the first nine have a leading zero. */
const ONE_TO_30 = '(?:0?[1-9]|[12]\\d|30)';

/** Special flood hazard areas: A, V, AE, AH, AO, VE, VO, AR, A99, and numbered zones (44 CFR 59.1). */
const HAZARD = new RegExp(
  `^(?:A99|AR|(?:AR/)?A(?:[EHO]|${ONE_TO_30}|1-A?30)?|V(?:[EO]|${ONE_TO_30}|1-V?30)?)$`,
);

/**
 * Zones outside special flood hazard areas: those of 44 CFR 64.3 (X, B, C, D; M, N, and P for special,
 * moderate, and undetermined mudslide hazards; E for erosion), those of the National Flood Hazard Layer (open
 * water, areas not included, NP), those of the Q3 flood data (X500, ANI, UNDES, 100IC, 500IC, FWIC, FPQ), and
 * the ways in which communities write X: with its annual chance, shaded or unshaded, or behind a levee.
 */
const NO_HAZARD = new RegExp(
  `^(?:${[
    'X\\d*L?|X[ ,(/_-].*|XFUT|(?:UN)?SHADED X|[BCDEMNP]',
    'NP|ANI|UNDES|100IC|500IC|FWIC|FPQ|OUT|OPEN WATER|NONE|AREAS? NOT INCLUDED|NOT (?:INCLUDED|POPULATED|MAPPED|STUDIED)',
    '(?:0?\\.2|500).*|1 ?(?:%|PCT|PERCENT) FUTURE.*|FUTURE.*|AREAS? (?:OF|WITH) (?:MINIMAL|MODERATE|REDUCED|UNDETERMINED).*',
  ].join('|')})$`,
);

const YES = new Set(['T', 'TRUE', 'Y', 'YES', 'IN', '1']);
const NO = new Set(['F', 'FALSE', 'N', 'NO', 'OUT', '0']);
/** Values of the flag that mean unknown: not populated, and FEMA's placeholders. */
const UNKNOWN_CLASS = new Set(['U', 'UNK', 'UNKNOWN', 'UNDES', 'ANI', 'NP', '-8888', '-9999']);

/**
 * The SFHA flag decides. Without a flag, the zone decides.
 * @returns null if both are empty, or a rejection `unknown_zone`
 */
function floodZone(zone: string | null, subtype: string | null, sfha: string | null): ReturnType<Classifier> {
  const flag = sfha?.toUpperCase() ?? null;
  const flagged = flag === null ? null : YES.has(flag) ? true : NO.has(flag) ? false : null;
  if (flag !== null && flagged === null && !UNKNOWN_CLASS.has(flag))
    return unknownClass('sfha', sfha!, 'not T, F, IN, or OUT');
  if (zone === null && flagged === null) return null;
  const name = zone?.toUpperCase() ?? (flagged ? 'SFHA' : 'OUT');
  const counts = flagged ?? HAZARD.test(name);
  if (flagged === null && !counts && !NO_HAZARD.test(name))
    return unknownClass('zone', zone!, 'not a FEMA flood zone');
  return { class: counts ? name : null, label: subtype === null ? name : `${name}, ${subtype}` };
}
