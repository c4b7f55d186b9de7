import { wordsOf } from './owner-words.ts';

/** Legal forms that make an owner corporate wherever they stand as whole words. */
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
 * Forms that are initials as often: only at the end of a name. L C is a limited company in
 * Iowa, Utah, Virginia.
 */
const LAST_FORMS = new Set(['LC', 'PC']);

/** A roll's column cuts long names; six letters of a long form are enough at the end. */
const CUT_FORMS = /^(?:CORPOR|INCORP|COMPAN|LIMITE)[A-Z]*$/;

/**
 * Owners that CO is not the company of. SULLIVAN CO alone cannot be told from a company of that name,
 * and counts as one.
 */
const PUBLIC_BODY =
  / (?:CITY OF|TOWN OF|COUNTY|STATE OF|UNIVERSITY|COMMISSIONERS?|BOARD|TREASURER|SHERIFF|SCHOOL|DISTRICT|DIST) /;

const HAS_FORM = new RegExp(` (?:${FORMS.join('|')}) `);
/** Every form has one of these: names without any are not looked at further. */
const MAY_HAVE_FORM = /L ?[LTPC]|LIM|INC|CO|P ?C/;

/**
 * Whether a name is that of a corporate owner, by its legal form alone: LLC, INC, CORP, LP, LLP, LTD, CO and
 * their spellings, as whole words. Not by trade (HOLDINGS, REALTY, BANK), which people are called too, nor by
 * a form in the name after C/O or %.
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
 * CO is a company at the end of a name or before OF or THE, never its first word: CO-TRUSTEE is none,
 * SMITH & CO OF OHIO is.
 */
function isCompany(words: readonly string[], padded: string): boolean {
  const at = words.lastIndexOf('CO');
  if (at < 1 || PUBLIC_BODY.test(padded)) return false;
  if (at < words.length - 1) return words[at + 1] === 'OF' || words[at + 1] === 'THE';
  return words[at - 1] !== 'OF';
}

/**
 * L.P., L.C. or P.C. with its full stops, after two words or more: without them they are somebody's initials.
 */
function isDottedForm(name: string, padded: string): boolean {
  return / \S+ \S+ (?:L P|L C|P C) $/.test(padded) && /[LP]\. ?[PC]\.?\s*$/i.test(name);
}
