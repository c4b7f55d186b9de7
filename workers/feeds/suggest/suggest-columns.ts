import type { ColumnSpec } from '../column-schema.ts';
import { PARCEL_TARGETS, type ParcelTarget } from '../parcel-targets.ts';
import { fitOf } from './column-fit.ts';
import {
  type Candidate,
  CITY_STATE_ZIP,
  confidenceOf,
  MAX_PART_DISTANCE,
  type Profile,
  profileOf,
} from './column-profile.ts';
import { addressColumns, endsInCity, situsFromParts, withUnit } from './situs-from-parts.ts';
import { fieldsOfName, isParcelNumber } from './suggest-names.ts';
import { combinedColumns, findSums } from './suggest-together.ts';

/** Minimum confidence to map a column. docs/benchmarks.md says how it was measured. */
export const MIN_CONFIDENCE = 0.8;
/** Below this confidence, a column is not even an alternative. */
const POSSIBLE = 0.25;

/** The first rows of a source, by column. `acres`: acres of the rows' boundaries. */
export type Sample = {
  columns: readonly { name: string; alias?: string | undefined; values: readonly unknown[] }[];
  acres: readonly (number | null)[];
  /** The parcel number's column, if it is known. */
  key?: string | undefined;
};

/** The candidate mapped to a field, if its confidence is high enough, and the alternatives, best first. */
export type Suggestion = { field: ParcelTarget; mapped: Candidate | null; others: Candidate[] };

export type Suggestions = {
  /** The parcel identifier: the parcel-number column with the fewest repeats, or else an id column. */
  key: Candidate | null;
  fields: Suggestion[];
};

export function suggestColumns({ columns, acres, key }: Sample): Suggestions {
  const profiles = columns.map(({ name, alias, values }) => profileOf(name, alias, values));
  const aliases = new Map(columns.map(({ name, alias }) => [name, alias]));
  const candidates = profiles.flatMap(profile =>
    namesOf(profile, aliases.get(profile.name), profiles, key).flatMap(([field, name]): Candidate[] => {
      const fit = fitOf(field, profile, acres);
      if (fit === null) return [];
      const { support, doubt = 1, spec, why } = fit;
      const confidence = confidenceOf(name, support) * doubt;
      const read: ColumnSpec = { column: profile.name, ...(spec?.unit === 'acres' ? {} : spec) };
      return [{ field, columns: [profile.name], spec: read, confidence, why }];
    }),
  );
  const byName = new Map(profiles.map(profile => [profile.name, profile]));
  const addresses = addressColumns(profiles, aliases);
  const cities = profiles.filter(({ ideas }) => ideas.has('city') || ideas.has('town'));
  const parts = situsFromParts(addresses, cities);
  const together = [...combinedColumns(profiles), ...parts];
  const judged = findSums([...candidates, ...together], profiles, byName).map(each =>
    withUnit(each, addresses),
  );
  // Prefer address parts over a line that includes the city.
  const isWithCity = ({ field, columns: [only] }: Candidate) =>
    parts.length > 0 && field === 'situs_address' && endsInCity(byName.get(only!)!, cities);
  const possible = judged.filter(each => each.confidence >= POSSIBLE && !isWithCity(each));
  possible.sort((a, b) => b.confidence - a.confidence || rank(a, byName) - rank(b, byName));
  return {
    key: keyOf(possible, byName) ?? lastResort(profiles),
    fields: wholePlaces(assign(possible, profiles, byName)),
  };
}

/** Between equal candidates, prefer the one with more non-empty cells, then the leftmost. */
const rank = ({ columns }: Candidate, byName: ReadonlyMap<string, Profile>): number =>
  -(byName.get(columns[0]!)?.filled.length ?? 0);

/** Confidence that a recording date alone is a sale date. */
const RECORDED = 0.5;

/**
 * The fields that a name may mean. Nearby columns decide whether a plain city, state, ZIP, or address is the
 * owner's or the parcel's.
 */
function namesOf(
  profile: Profile,
  alias: string | undefined,
  all: readonly Profile[],
  key: string | undefined,
): [ParcelTarget, number][] {
  const fields = fieldsOfName(profile.name);
  // A key named like OBJECTID is the table's row number, not a parcel number.
  if (profile.name.toLowerCase() === key?.toLowerCase() && !profile.ideas.has('not')) fields.set('apn', 0.95);
  for (const [field, score] of alias === undefined ? [] : fieldsOfName(alias))
    if (score > (fields.get(field) ?? 0)) fields.set(field, score);
  // If no column mentions a sale, the recorded document may be a plat or a survey.
  const isSale = all.some(
    ({ ideas, filled }) => filled.length > 0 && (ideas.has('sale') || ideas.has('price')),
  );
  if (!isSale && fields.has('last_sale_date'))
    fields.set('last_sale_date', RECORDED * fields.get('last_sale_date')!);
  valueOfTable(profile, all, fields);
  const part = plainPart(profile);
  const whose = part && whoseAddress(profile, part, all);
  if (whose) fields.set(`${whose}_${part}` as ParcelTarget, whose === 'mail' ? 0.85 : 0.75);
  if (whose === 'mail' && part === 'address') fields.delete('situs_address');
  // If the owner has an address, the taxpayer may be someone else.
  if (profile.ideas.has('payer')) {
    const other = new Set([...profile.ideas].map(idea => (idea === 'payer' ? 'own' : idea)));
    const isOwners = ({ ideas }: Profile) =>
      ideas.size === other.size && [...other].every(idea => ideas.has(idea));
    if (all.some(isOwners)) for (const [field, score] of fields) fields.set(field, score * 0.7);
  }
  return [...fields];
}

const VALUES = new Map<string, string>([
  ['total value', 'total'],
  ['land value', 'land'],
  ['bldg value', 'improvement'],
]);
/** Columns for land and improvement totals are values if both exist. */
const TOTALS = new Map<string, string>([
  ['land total', 'land'],
  ['bldg total', 'improvement'],
]);

const partOfValue = ({ ideas }: Profile, all: readonly Profile[]): string | undefined => {
  const words = [...ideas].sort().join(' ');
  const hasBoth = () =>
    [...TOTALS.keys()].every(total => all.some(each => [...each.ideas].sort().join(' ') === total));
  return (
    VALUES.get([...ideas].sort((a, b) => Number(a === 'value') - Number(b === 'value')).join(' ')) ??
    (TOTALS.has(words) && hasBoth() ? TOTALS.get(words) : undefined)
  );
};

/**
 * A value column that doesn't say assessed or market is assumed to be the same kind as the others. If none
 * say so, it is assessed.
 */
function valueOfTable(profile: Profile, all: readonly Profile[], fields: Map<ParcelTarget, number>): void {
  const part = partOfValue(profile, all);
  if (part === undefined) return;
  const says = (kind: string) =>
    all.some(
      each =>
        each.ideas.has(kind) && each.numeric > 0.9 && each.numbers.some(value => value !== null && value > 0),
    );
  const [isMarket, isAssessed] = [says('market'), says('assessed')];
  if (isMarket && isAssessed) return;
  if (isMarket) fields.delete(`assessed_${part}_value` as ParcelTarget);
  fields.set(`${isMarket ? 'market' : 'assessed'}_${part}_value` as ParcelTarget, 0.85);
}

const PLAIN = new Map([
  ['city', 'city'],
  ['state', 'state'],
  ['zip', 'zip'],
  ['zip code', 'zip'],
  ['addr city', 'city'],
  ['addr state', 'state'],
  ['addr zip', 'zip'],
  ['addr', 'address'],
  ['addr first', 'address'],
  ['street addr', 'address'],
] as const);

/** Words that mean an owner or a taxpayer. */
const OWNERS = ['mail', 'own', 'payer'];

type Part = 'city' | 'state' | 'zip' | 'address';

const plainPart = ({ ideas, name }: Profile): Part | undefined =>
  /^st$/i.test(name) ? 'state' : PLAIN.get([...ideas].join(' ') as 'city');

/** Whether an address is the owner's or the parcel's, judged by the other columns. */
function whoseAddress(profile: Profile, part: Part, all: readonly Profile[]): 'mail' | 'situs' | null {
  const idea = part === 'address' ? 'addr' : part;
  const has = (...whose: string[]) =>
    all.some(
      ({ ideas }) =>
        whose.some(word => ideas.has(word)) &&
        (ideas.has(idea) || (idea === 'addr' && ideas.size === 1 && ideas.has('mail'))),
    );
  const [owners, parcels] = [has(...OWNERS), has('situs')];
  if (owners) return parcels ? null : 'situs';
  if (parcels && part !== 'address' && profile.ideas.has('addr')) return 'mail';
  const at = all.indexOf(profile);
  const near = all.slice(Math.max(0, at - MAX_PART_DISTANCE), at + MAX_PART_DISTANCE + 1);
  const several = near.some(each => plainPart(each) === 'state' && each.distinct > 1);
  const isNearMail = near.some(({ ideas }) => ideas.has('mail') && (ideas.has('addr') || ideas.size === 1));
  if (several || (isNearMail && part !== 'address')) return 'mail';
  // If no column mentions owners, the address is the parcel's.
  return all.some(({ ideas }) => OWNERS.some(word => ideas.has(word))) ? null : 'situs';
}

/**
 * Maximum share of repeated and missing values in a key. Some parcel numbers repeat, because condominium
 * units share them.
 */
const KEY_REPEATS = 0.2;
/**
 * Minimum confidence for a column named as a parcel number. If it repeats, it is less certain, but still more
 * likely to be right than a row number.
 */
const MIN_REPEATING = 0.6;
const REPEATS_SHOWN = 3;

function keyOf(candidates: readonly Candidate[], byName: ReadonlyMap<string, Profile>): Candidate | null {
  const keys = candidates
    .filter(({ field }) => field === 'apn')
    .flatMap(candidate => {
      const { filled, distinct, texts } = byName.get(candidate.columns[0]!)!;
      const repeats = 1 - distinct / filled.length;
      const missing = 1 - filled.length / texts.length;
      if (repeats + missing > KEY_REPEATS) return [];
      const confidence = candidate.confidence * (1 - repeats - missing);
      return [{ ...candidate, confidence, why: candidate.why + repeatsOf(texts) }];
    });
  const best = keys.sort((a, b) => b.confidence - a.confidence)[0];
  const isNumbered = best && isParcelNumber(best.columns[0]!);
  return best && best.confidence >= (isNumbered ? MIN_REPEATING : MIN_CONFIDENCE) ? best : null;
}

/** Text that lists repeated numbers and their rows. */
function repeatsOf(texts: readonly (string | null)[]): string {
  const rows = new Map<string, number[]>();
  for (const [i, text] of texts.entries())
    if (text !== null) rows.set(text, [...(rows.get(text) ?? []), i + 1]);
  const repeated = [...rows].filter(([, all]) => all.length > 1);
  if (repeated.length === 0) return '';
  const shown = repeated
    .slice(0, REPEATS_SHOWN)
    .map(([text, all]) => `${text} (rows ${all.slice(0, REPEATS_SHOWN).join(', ')})`)
    .join(', ');
  const more = repeated.length - REPEATS_SHOWN;
  return `; repeated: ${shown}${more > 0 ? ` and ${more} more` : ''}`;
}

/** Names of id columns, starting with those least likely to change between exports. */
const IDS = [
  'id',
  'pid',
  'uid',
  'rid',
  'recno',
  'recid',
  'recordid',
  'gid',
  'fid',
  'oid',
  'ogcfid',
  'objectid',
];
const RENUMBERED =
  'is unique, but is not a parcel number. If the next export renumbers its rows, parcels lose their ids. Use a better key if the source has one';

/** The key to use if there are no parcel numbers: a complete and unique column with a suitable name. */
function lastResort(profiles: readonly Profile[]): Candidate | null {
  const rank = ({ name }: Profile) => IDS.indexOf(name.toLowerCase().replace(/[^a-z]|_\d+$/g, ''));
  const unique = profiles.filter(
    each =>
      each.texts.length >= MIN_ROWS &&
      each.distinct === each.texts.length &&
      (rank(each) >= 0 || isParcelNumber(each.name)),
  );
  const best = unique.sort((a, b) => rank(a) - rank(b))[0];
  if (best === undefined) return null;
  const columns = [best.name];
  return { field: 'apn', columns, spec: { column: best.name }, confidence: 0.5, why: RENUMBERED };
}

/** With fewer rows, values may be unique by chance. */
const MIN_ROWS = 5;

/** Each field gets its best candidate whose columns haven't been used by a better one. */
function assign(
  candidates: readonly Candidate[],
  profiles: readonly Profile[],
  byName: ReadonlyMap<string, Profile>,
): Suggestion[] {
  const taken = new Map<string, ParcelTarget>();
  const mapped = new Map<ParcelTarget, Candidate>();
  for (const candidate of candidates) {
    const { field, columns, confidence } = candidate;
    if (confidence < MIN_CONFIDENCE || mapped.has(field) || columns.some(name => taken.has(name))) continue;
    if (repeatsAnother(candidate, mapped, byName)) continue;
    mapped.set(field, withSecondLine(candidate, profiles, taken));
    for (const name of mapped.get(field)!.columns) taken.set(name, field);
  }
  return PARCEL_TARGETS.map(field => ({
    field,
    mapped: mapped.get(field) ?? null,
    others: candidates.filter(
      each =>
        each.field === field &&
        each.columns.join() !== mapped.get(field)?.columns.join() &&
        !each.columns.some(name => taken.has(name) && taken.get(name) !== field) &&
        !repeatsAnother(each, mapped, byName),
    ),
  })).filter(({ mapped: best, others }) => best !== null || others.length > 0);
}

/** A longitude without a latitude is not a location. */
function wholePlaces(fields: Suggestion[]): Suggestion[] {
  const isHalf = fields.filter(({ field, mapped }) => mapped && isOfPlace(field)).length === 1;
  return isHalf ? fields.filter(({ field }) => !isOfPlace(field)) : fields;
}
const isOfPlace = (field: ParcelTarget): boolean => field === 'longitude' || field === 'latitude';

/** A market value that equals the assessed value in every row, or vice versa, adds no information. */
function repeatsAnother(
  { field, columns }: Candidate,
  mapped: ReadonlyMap<ParcelTarget, Candidate>,
  byName: ReadonlyMap<string, Profile>,
): boolean {
  const twin = /^assessed_/.test(field)
    ? field.replace('assessed', 'market')
    : field.replace(/^market/, 'assessed');
  const other = twin === field ? undefined : mapped.get(twin as ParcelTarget);
  if (other === undefined || other.columns.length > 1 || columns.length > 1) return false;
  const [own, theirs] = [columns[0]!, other.columns[0]!].map(name => byName.get(name)!.texts);
  // With only a few rows, values may be equal by chance.
  return own!.length >= 5 && own!.every((text, i) => Number(text) === Number(theirs![i]));
}

/** Adds the second line of a mailing address, unless that line is the city, state, and ZIP code. */
function withSecondLine(
  candidate: Candidate,
  profiles: readonly Profile[],
  taken: ReadonlyMap<string, ParcelTarget>,
): Candidate {
  const [first] = candidate.columns;
  if (candidate.field !== 'mail_address' || first === undefined) return candidate;
  const wanted = [`${first}2`, `${first}_2`, first.replace(/1(?!.*1)/, '2')].filter(name => name !== first);
  const second = profiles.find(
    ({ name, filled }) => wanted.includes(name) && filled.length > 0 && !taken.has(name),
  );
  const ends = second?.filled.filter(text => CITY_STATE_ZIP.test(text)).length ?? 0;
  if (second === undefined || ends > 0.3 * second.filled.length) return candidate;
  const columns = [first, second.name];
  return { ...candidate, columns, spec: { columns } };
}
