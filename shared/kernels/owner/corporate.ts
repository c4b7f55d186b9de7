import { wordsOf } from './owner-words.ts';

/** Legal forms that indicate a corporate owner anywhere in the name, as whole words. */
const FORMS = [
  'LLC',
  'L L C',
  'LL C',
  'L LC',
  'PLLC',
  'P L L C',
  'LLLC',
  'LIMITED LIABILITY',
  'INC',
  'INCORPORATED',
  'INCORP',
  'CORP',
  'CORPORATION',
  'LLP',
  'L L P',
  'LLLP',
  'L L L P',
  'RLLP',
  'RLLLP',
  'LP',
  'FLP',
  'LTD',
  'LIMITED',
  'COMPANY',
  'COMPANIES',
];

/**
 * Forms that may also be initials, and so count only at the end of a name. L C is a limited company in Iowa,
 * Utah, and Virginia.
 */
const LAST_FORMS = new Set(['LC', 'PC']);

/** Forms cut off by the width of a roll's column. At the end of a name, six letters are enough. */
const CUT_FORMS = /^(?:CORPOR|INCORP|COMPAN|LIMITE)[A-Z]*$/;

/**
 * Owners whose names use CO for county, not company. SULLIVAN CO alone is ambiguous and counts as a company.
 */
const PUBLIC_BODY =
  / (?:CITY OF|TOWN OF|COUNTY|STATE OF|UNIVERSITY|COMMISSIONERS?|BOARD|TREASURER|SHERIFF|SCHOOL|DISTRICT|DIST) /;

const HAS_FORM = new RegExp(` (?:${FORMS.join('|')}) `);
/** A fast check: every form contains one of these. */
const MAY_HAVE_FORM = /L ?[LTPC]|LIM|INC|CO|P ?C/;

/**
 * Whether a name includes a company's legal form: LLC, INC, CORP, LP, LLP, LTD, CO, and their spellings, as
 * whole words. Trade words (HOLDINGS, REALTY, BANK) don't count, because some are also surnames. Neither does
 * a name after C/O or %.
 */
export function isCorporateOwner(name: string): boolean {
  const owner = withoutCareOf(name);
  const padded = ` ${wordsOf(owner)} `;
  if (!MAY_HAVE_FORM.test(padded)) return false;
  if (HAS_FORM.test(padded)) return true;
  const words = padded.trim().split(' ');
  if (words.length > 1) {
    const last = words[words.length - 1]!;
    if (LAST_FORMS.has(last) || CUT_FORMS.test(last)) return true;
  }
  return isCompany(words, padded) || isDottedForm(owner, padded);
}

const CARE_OF = /\bC\/O\b|%/i;

function withoutCareOf(name: string): string {
  const at = name.search(CARE_OF);
  return at > 0 ? name.slice(0, at) : name;
}

/**
 * CO means company at the end of a name or before OF or THE, but not as the first word: SMITH & CO OF OHIO,
 * but not CO-TRUSTEE.
 */
function isCompany(words: readonly string[], padded: string): boolean {
  const at = words.lastIndexOf('CO');
  if (at < 1 || PUBLIC_BODY.test(padded)) return false;
  if (at < words.length - 1) return words[at + 1] === 'OF' || words[at + 1] === 'THE';
  return words[at - 1] !== 'OF';
}

/** L.P., L.C., or P.C. with periods after two or more words. Without periods, they can be initials. */
function isDottedForm(name: string, padded: string): boolean {
  return / \S+ \S+ (?:L P|L C|P C) $/.test(padded) && /[LP]\. ?[PC]\.?\s*$/i.test(name);
}
