import { type Refused, refused } from './fields.ts';

/** A zone, and what is stored of it: null for one that does not count. */
export type FloodVerdict = { class: string | null; label: string };

/** The numbered zones, which have 1 to 30 only; policies and claims write the first nine with a zero. */
const ONE_TO_30 = '(?:0?[1-9]|[12]\\d|30)';

/**
 * Zones of the special flood hazard area: A, V, AE, AH, AO, VE, VO, AR and its doubles, A99, and the numbered ones (44 CFR
 * 59.1).
 */
const HAZARD = new RegExp(
  `^(?:A99|AR|(?:AR/)?A(?:[EHO]|${ONE_TO_30}|1-A?30)?|V(?:[EO]|${ONE_TO_30}|1-V?30)?)$`,
);

/**
 * Zones outside it: those of 44 CFR 64.3 (X, B, C, D; M, N and P of special, moderate and undetermined mudslide hazards, E of
 * erosion), those of the National Flood Hazard Layer (open water, areas not included, NP), those of the Q3 flood data (X500,
 * ANI, UNDES, 100IC, 500IC, FWIC, FPQ), and the ways in which communities write X: after its share a year, shaded or not, behind a levee.
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
/** What a flag says that says nothing: unknown, not populated, and what FEMA writes where there is no value. */
const UNSTATED = new Set(['U', 'UNK', 'UNKNOWN', 'UNDES', 'ANI', 'NP', '-8888', '-9999']);

/**
 * The flag of the special flood hazard area decides where it is given, else the zone.
 * @returns null when both are empty; refused `unknown_zone` when what they say is not known
 */
export function floodZone(
  zone: string | null,
  subtype: string | null,
  sfha: string | null,
): FloodVerdict | Refused | null {
  const flag = sfha?.toUpperCase() ?? null;
  const flagged = flag === null ? null : YES.has(flag) ? true : NO.has(flag) ? false : null;
  if (flag !== null && flagged === null && !UNSTATED.has(flag))
    return unknown('sfha', sfha!, 'neither T nor F, nor IN or OUT');
  if (zone === null && flagged === null) return null;
  const name = zone?.toUpperCase() ?? (flagged ? 'SFHA' : 'OUT');
  const counts = flagged ?? HAZARD.test(name);
  if (flagged === null && !counts && !NO_HAZARD.test(name))
    return unknown('zone', zone!, 'no flood zone of FEMA');
  return { class: counts ? name : null, label: subtype === null ? name : `${name}, ${subtype}` };
}

function unknown(field: string, text: string, what: string): Refused {
  const remedy = `Map it with layer.columns.${field}.values, or leave it out with layer.skip_where.`;
  return refused(field, 'unknown_zone', `'${text}' is ${what}. ${remedy}`);
}
