import type { LineType } from './contact-fields.ts';

/**
 * What lines a carrier's blocks are, by its name in public block lists, which do not say it. Wholesalers, whose numbers are lent to
 * applications of every kind, and names that are not listed stay unknown. docs/skip-trace.md shows the list.
 */
export const CARRIERS: readonly (readonly [LineType | null, string])[] = [
  [
    null,
    'ONVOY|INTELIQUENT|BANDWIDTH|TWILIO|TELNYX|COMMIO|PEERLESS|FRACTEL|LEVEL 3|NEUTRAL TANDEM|TON80|INTEGRATED PATH|VONAGE|IP HORIZON|SINCH|PLIVO|YMAX|NUSO|AIRUS|CORETEL',
  ],
  [
    'Mobile',
    'WIRELESS|CELLULAR|CINGULAR|CELLCO|MOBILE|MOBILITY|PCS|T-MOBILE|METROPCS|SPRINT SPECTRUM|OMNIPOINT|POWERTEL|AERIAL COMM|VOICESTREAM|SUNCOM|NEXTEL|CRICKET|LEAP|ALLTEL|C SPIRE|DISH|CELL ?ONE|CLEARTALK|VIAERO|GCI COMM',
  ],
  [
    'Landline',
    'TELEPHONE|TELEPH|TELCO|\\bTEL\\b|\\bTEL ?& ?TEL|BELL|QWEST|CENTURYLINK|LUMEN|CENTURYTEL|EMBARQ|FRONTIER|WINDSTREAM|CONSOLIDATED COMM|FAIRPOINT|VERIZON|GTE|CITIZENS|TDS|COMCAST|CHARTER|COX|CABLE|FIBER|MEDIACOM|MCC TELEPHONY|TIME WARNER|SPECTRUM ADVANCED|CABLEVISION|MCIMETRO|MCI|TELEPORT|AT&T|PACIFIC|NEVADA BELL|COOPERATIVE|TELECOM|TELEPACIFIC|XO COMM|PAETEC|US LEC|INTEGRA|ALASKA COMM|HAWAIIAN TEL|ZIPLY|\\bXO\\b|AUREON|NORVADO|VEXUS|OMNITEL|MAHASKA|CORE COMM|BROADBAND|LIGHTWAVE',
  ],
];

const PATTERNS = CARRIERS.map(([kind, names]) => [kind, new RegExp(names, 'i')] as const);

/** null for a carrier that is not listed, or whose lines may be either. */
export function lineTypeOfCarrier(operator: string): LineType | null {
  return PATTERNS.find(([, names]) => names.test(operator))?.[0] ?? null;
}
