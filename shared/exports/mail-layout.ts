import type { FieldType } from '../model/parcel-fields.ts';

type MailColumn = { type: FieldType; doc: string };

/** The columns of a file with one row per letter, in their default order. */
export const MAIL_COLUMNS = {
  reference: { type: 'text', doc: 'Reference to print on the letter. The search box finds it' },
  first_name: { type: 'text', doc: 'Given name of the first person. Empty for companies' },
  last_name: { type: 'text', doc: 'Surname of the first person' },
  full_name: { type: 'text', doc: 'First line of the address' },
  salutation: { type: 'text', doc: 'What comes after "Dear"' },
  company: { type: 'text', doc: 'Company, trust, estate, or public body' },
  mail_address: { type: 'text', doc: 'Street or PO box' },
  mail_city: { type: 'text', doc: 'City' },
  mail_state: { type: 'state', doc: 'Two-letter state' },
  mail_zip: { type: 'zip', doc: 'ZIP code' },
  offer: { type: 'number', doc: 'Offer in USD for all parcels of the letter' },
  offer_high: { type: 'number', doc: 'High end of the offer in USD, for a range' },
  apns: { type: 'text', doc: 'Parcel numbers without padding, separated by semicolons' },
  parcels: { type: 'integer', doc: 'Number of parcels' },
  acres: { type: 'number', doc: 'Total acres. Units that share one boundary count its land once' },
  situs_address: { type: 'text', doc: "Street address of the owner's largest parcel" },
  situs_county: { type: 'text', doc: 'County of the largest parcel' },
  situs_state: { type: 'state', doc: 'State of the largest parcel' },
  legal_description: { type: 'text', doc: 'Legal descriptions, separated by semicolons' },
} as const satisfies Record<string, MailColumn>;
export type MailColumnName = keyof typeof MAIL_COLUMNS;

/** What presets put into a column for the country, which rolls don't have. */
export const COUNTRY = 'US';

type Preset = {
  label: string;
  /** Where the column names are published. */
  source: string;
  /** The file's column names, with ours or the country. */
  columns: readonly (readonly [name: string, of: MailColumnName | typeof COUNTRY])[];
};

/** Columns that letters merge. They keep our names, because mail houses let you choose these names. */
const MERGED = (
  [
    'reference',
    'salutation',
    'offer',
    'offer_high',
    'apns',
    'parcels',
    'acres',
    'situs_address',
    'situs_county',
    'situs_state',
    'legal_description',
  ] as const
).map(name => [name, name] as const);

/** Column names that mail houses and CRMs recognize without mapping. */
export const MAIL_PRESETS = {
  lob: {
    label: 'Lob',
    source: 'https://help.lob.com/print-and-mail/reaching-your-audience/campaign-audience-guide',
    columns: [
      ['name', 'full_name'],
      ['address_line1', 'mail_address'],
      ['address_city', 'mail_city'],
      ['address_state', 'mail_state'],
      ['address_zip', 'mail_zip'],
      ['address_country', COUNTRY],
      ...MERGED,
    ],
  },
  postalytics: {
    label: 'Postalytics',
    source: 'https://support.postalytics.com/support/solutions/articles/70000599995-file-preparation',
    columns: [
      ['First Name', 'first_name'],
      ['Last Name', 'last_name'],
      ['Company', 'company'],
      ['Address', 'mail_address'],
      ['City', 'mail_city'],
      ['State', 'mail_state'],
      ['Zip Code', 'mail_zip'],
      ['full_name', 'full_name'],
      ...MERGED,
    ],
  },
  postgrid: {
    label: 'PostGrid',
    source: 'https://postgrid.readme.io/reference/mailing-list-imports',
    columns: [
      ['firstName', 'first_name'],
      ['lastName', 'last_name'],
      ['companyName', 'company'],
      ['addressLine1', 'mail_address'],
      ['city', 'mail_city'],
      ['provinceOrState', 'mail_state'],
      ['postalOrZip', 'mail_zip'],
      ['countryCode', COUNTRY],
      ['full_name', 'full_name'],
      ...MERGED,
    ],
  },
  sendpro: {
    label: 'Pitney Bowes SendPro',
    source:
      'https://www.pitneybowes.com/us/support/article/000071393/address-book-and-list-management-file-import-specifications-for.html',
    columns: [
      ['CustomerReference', 'reference'],
      ['AttentionTo', 'full_name'],
      ['Organization', 'company'],
      ['Address1', 'mail_address'],
      ['City', 'mail_city'],
      ['Region', 'mail_state'],
      ['PostalCode', 'mail_zip'],
      ['Country', COUNTRY],
    ],
  },
  hubspot: {
    label: 'HubSpot',
    source: 'https://knowledge.hubspot.com/articles/kcs_article/contacts/set-up-your-import-file',
    columns: [
      ['First name', 'first_name'],
      ['Last name', 'last_name'],
      ['Company name', 'company'],
      ['Street address', 'mail_address'],
      ['City', 'mail_city'],
      ['State/Region', 'mail_state'],
      ['Postal code', 'mail_zip'],
      ['full_name', 'full_name'],
      ...MERGED,
    ],
  },
} as const satisfies Record<string, Preset>;
export type MailPreset = keyof typeof MAIL_PRESETS;
export const MAIL_PRESET_NAMES = Object.keys(MAIL_PRESETS) as [MailPreset, ...MailPreset[]];
