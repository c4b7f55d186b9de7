/** The fields of a contacts feed, in the order in which they appear in a mapped row. */

export type ContactFieldType = 'text' | 'state' | 'zip' | 'date' | 'phone' | 'line_type';
type ContactFieldSpec = { type: ContactFieldType; doc: string };

const spec = (type: ContactFieldType, doc: string): ContactFieldSpec => ({ type, doc });

/** Maximum number of phone numbers that a trace returns. */
export const MAX_PHONES = 6;

const PHONES = Object.fromEntries(
  Array.from({ length: MAX_PHONES }, (_, i) => [
    [
      `phone_${i + 1}`,
      spec('phone', i === 0 ? 'Best phone number' : `Phone number ${i + 1}, in order of preference`),
    ],
    [
      `phone_${i + 1}_type`,
      spec('line_type', `Line type of phone_${i + 1}, Mobile or Landline, if the numbering plan doesn't say`),
    ],
  ]).flat(),
) as Record<`phone_${number}` | `phone_${number}_type`, ContactFieldSpec>;

const ADDRESS = {
  address: spec('text', 'Street address or PO box'),
  city: spec('text', 'City'),
  state: spec('state', 'Two-letter state code'),
  zip: spec('zip', '5-digit ZIP code'),
};

export const CONTACT_FIELDS: Record<string, ContactFieldSpec> = {
  source: spec('text', "Origin of the record. Default: the feed's own label"),
  source_id: spec(
    'text',
    'Id of the record in the source. Default: derived from the row, so a changed row becomes a new contact',
  ),
  name: spec(
    'text',
    'Full name as written on a roll (LAST, FIRST M), or the name of an entity. Used if the parts are not mapped',
  ),
  entity_name: spec('text', 'Name of a company, trust, church, or other entity'),
  first_name: spec('text', 'Given name'),
  middle_name: spec('text', 'Middle name or initial'),
  last_name: spec('text', 'Surname'),
  suffix: spec('text', 'JR, SR, II, III'),
  ...ADDRESS,
  ...Object.fromEntries(
    Object.entries(ADDRESS).map(([name, { type, doc }]) => [
      `previous_${name}`,
      spec(type, `Previous address: ${doc}`),
    ]),
  ),
  ...PHONES,
  emails: spec('text', 'Email addresses, separated by spaces, commas, or semicolons'),
  last_seen: spec('date', 'Date on which the source last confirmed the contact'),
};

export const CONTACT_FIELD_NAMES = Object.keys(CONTACT_FIELDS);

export type LineType = 'Mobile' | 'Landline';

export type StoredPhone = { number: string; line_type: LineType | null };

/** Ten digits in the North American Numbering Plan. The area code and the exchange each start with 2 to 9. */
export function phoneDigits(text: string): string | null {
  const digits = text.replace(/(?:ext|x)\.? ?\d+$/i, '').replace(/\D/g, '');
  const ten = digits.length === 11 && digits.startsWith('1') ? digits.slice(1) : digits;
  return /^[2-9]\d{2}[2-9]\d{6}$/.test(ten) ? ten : null;
}

const LINE_TYPES: [LineType, RegExp][] = [
  ['Mobile', /^(?:m|mob(?:ile)?|cell(?:ular)?(?: ?phone)?|wireless|pcs|cell phone|mobile phone|wrls?)$/i],
  [
    'Landline',
    /^(?:l|land ?-?line|fixed(?: ?line)?|wire ?-?line|residential|home|pots|landline phone|fixed voip|f)$/i,
  ],
];

/** The line type that a source's term means, or null for an unknown term. */
export function lineTypeOf(text: string): LineType | null {
  return LINE_TYPES.find(([, words]) => words.test(text.trim()))?.[0] ?? null;
}
