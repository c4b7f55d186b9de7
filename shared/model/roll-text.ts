/** Words that stay in capitals: directions, legal forms, numerals, routes, and abbreviations with vowels. */
const UPPER = new Set(
  (
    'N S E W NE NW SE SW LLC PLLC LLP LP LC PC II III IV VI VII VIII IX PO RR HC RFD US USA USDA HUD FBO UAD UDT UTD ' +
    'HOA POA YMCA YWCA AK AR AZ CA DC GA IA KY NY RI UT VA WA WI WY'
  ).split(' '),
);

/** Abbreviations without vowels that people don't write in capitals. Others (PNC, NH, RJM) are initials. */
const SHORTENED = new Set(
  (
    'ASSN BCH BLDG BLF BLFS BLVD BND BR BRG BRK BRKS BROS CLB CLF CNTR CNTY CP CRK CRST CSWY CT CTR CTRS CTS CV CVS ' +
    'DPT DR DRS DTD DV FL FLD FLDS FLS FLT FLTS FRD FRK FRST FRT FT FWY GDN GLN GRN GRV HBR HGTS HL HLDGS HLS HOLLW HTS HVN ' +
    'HWY JCT JR KNL KY LK LKS LN LNDG LTD MC MDW MDWS MGMT MGR ML MLS MNR MR MRS MT MTN MTNS MTWY NTL PD PK PKWY PKY PL PLN ' +
    'PLNS PLZ PR PRK PROPS PRT PSGE PT PTNRS PTS PVT RD RDG RDS RGT RM RMS RNCH RST RT RTE RVR SCH SHR SHRS SMT SPG ' +
    'SPGS SPRG SQ SQS SR ST STN STR STRM STS SVC SVCS TER THRU TPKE TR TRK TRL TRLR TRLS TRS TRST TRWY TTEE TTEES TWP ' +
    'VLG VLGS VLY VLYS VW VWS WTR XING'
  ).split(' '),
);

/** Words that are lowercase inside a name. */
const SMALL = new Set('OF THE AND FOR AT BY TO IN'.split(' '));

/** Words with a spelling of their own. */
const SPELLINGS = new Map([
  ['PHD', 'PhD'],
  ['DBA', 'dba'],
  ['AKA', 'aka'],
]);

const capitalized = (word: string): string => word.charAt(0) + word.slice(1).toLowerCase();

function titleWord(word: string, before: string, after: string): string {
  // The s of JOHN'S.
  if (word.length === 1 && before.endsWith("'")) return after.startsWith("'") ? word : word.toLowerCase();
  if (/^\d+(?:ST|ND|RD|TH)$/.test(word)) return word.toLowerCase();
  // A unit or a route (12B), a state before its ZIP, AT&T, and State Route 9.
  const isCode = /^\p{L}{0,2}\d/u.test(word) || (word.length === 2 && /^,? \d{5}/.test(after));
  const isJoined = word.length < 3 && !SHORTENED.has(word) && (after.startsWith('&') || before.endsWith('&'));
  if (isCode || isJoined || UPPER.has(word) || (word === 'SR' && /^ \d/.test(after))) return word;
  if (SMALL.has(word) && /[^,] $/.test(before) && (word === 'OF' || /^ [^\s&-]/.test(after)))
    return word.toLowerCase();
  const isInitials = word.length < 5 && !/[AEIOUY]/.test(word) && /^[A-Z]+$/.test(word);
  if (isInitials && !SHORTENED.has(word)) return word;
  const clan = /^(MC|MAC(?=[DFGLMNP]))(?=.*[AEIOUY])(\p{L}{3,})$/u.exec(word);
  if (clan !== null) return capitalized(clan[1]!) + capitalized(clan[2]!);
  return SPELLINGS.get(word) ?? capitalized(word);
}

/**
 * Converts a roll's capitals to the case that people write: `N MAIN ST` becomes N Main St, and
 * `STATE OF NEW HAMPSHIRE` becomes State of New Hampshire. For names, addresses, and places, never codes.
 * Text that already has lowercase letters is left alone.
 */
export function titleCase(text: string): string {
  if (/\p{Ll}/u.test(text)) return text;
  return text
    .replace(/[\p{L}\d]+/gu, (word, at: number) =>
      titleWord(
        word,
        text.slice(Math.max(0, at - 2), at),
        text.slice(at + word.length, at + word.length + 8),
      ),
    )
    .replace(/\bC\/O\b/g, 'c/o')
    .replace(/\bEt (Al|Ux|Vir)\b/g, found => found.toLowerCase());
}

/**
 * Removes padding zeros from a parcel number: `000007 000044 000000` becomes 7-44. Parts may have letters if
 * all parts have the same width: `000009 000026 00000C` becomes 9-26-C. Other numbers are left alone.
 */
export function shortApn(apn: string): string {
  const parts = apn.trim().split(/\s+/);
  const isFilled = parts.every(part => part.length === parts[0]!.length);
  const filled = isFilled ? /^\d+[A-Z]*$/ : /^\d+$/;
  if (parts.length < 2 || !parts.every(part => filled.test(part)) || !/\b0\w/.test(apn)) return apn;
  const numbers = parts.map(part => part.replace(/^0+(?=\w)/, ''));
  while (numbers.length > 1 && numbers.at(-1) === '0') numbers.pop();
  return numbers.join('-');
}

/**
 * Converts a parcel number to the county's format (`shape`), padding each part with leading zeros and adding
 * zero parts at the end: 7-40 becomes 000007-000040-000000. Undefined if the number doesn't fit.
 */
export function filledUp(text: string, shape: string): string | undefined {
  const parts = text.toUpperCase().match(/[\p{L}\p{N}]+/gu) ?? [];
  let at = 0;
  let fits = parts.length > 1;
  const filled = shape.replaceAll(/[0A]+/g, run => {
    const part = parts[at++] ?? '';
    const isDigits = /^0+$/.test(run);
    // A numeric part may end with letters: 9-26-C is 000009-000026-00000C.
    fits &&= isDigits ? part.length <= run.length && /^\d*[A-Z]*$/.test(part) : part.length === run.length;
    return part.padStart(run.length, '0');
  });
  return fits && at >= parts.length ? filled : undefined;
}

/** The owner's mailing address as written on an envelope, omitting unknown parts. */
export function mailLines(parcel: Readonly<Record<string, unknown>>): string[] {
  const { mail_address, mail_city, mail_state, mail_zip } = parcel;
  const textOf = (value: unknown) => (typeof value === 'string' ? titleCase(value) : '');
  const code = [mail_state, mail_zip].filter(Boolean).join(' ');
  return [textOf(mail_address), [textOf(mail_city), code].filter(Boolean).join(', ')].filter(Boolean);
}

type Named = { situs_address?: unknown; apn?: unknown };

/** A parcel's address, or its number if it has none. */
export function nameOfParcel({ situs_address: address, apn }: Named): string {
  if (typeof address === 'string' && address !== '') return titleCase(address);
  return typeof apn === 'string' && apn !== '' ? `APN ${shortApn(apn)}` : 'No address';
}

/** Whether two parcel numbers are the same, apart from punctuation, case, and padding. */
export function isSameApn(one: string, other: string): boolean {
  const plain = (apn: string) => apn.replace(/[ .-]/g, '').toUpperCase();
  if (plain(one) === '' || plain(other) === '') return false;
  return plain(one) === plain(other) || shortApn(one) === shortApn(other);
}
