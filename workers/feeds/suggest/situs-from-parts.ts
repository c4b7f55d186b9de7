import {
  ADDRESS_PARTS,
  type AddressPart,
  areSuffixes,
  endsInSuffix,
  isParcelNumberPart,
  type PartColumn,
  partByValues,
  partColumn,
} from './address-parts.ts';
import {
  averageLength,
  type Candidate,
  endInPlaces,
  MAX_PART_DISTANCE,
  type Profile,
} from './column-profile.ts';

/** Confidence in a house number and a street. It is lower if only the values show which is which. */
const SURE_PARTS = 0.94;
const LIKELY_PARTS = 0.86;

export const addressColumns = (
  profiles: readonly Profile[],
  aliases: ReadonlyMap<string, string | undefined>,
): PartColumn[] =>
  withUnnamed(
    profiles.map((profile, at) =>
      isParcelNumberPart(at, profiles) ? null : partColumn(profile, at, aliases.get(profile.name)),
    ),
    profiles,
  );

/** Adds columns with directions or street suffixes that lie between the others but have meaningless names. */
function withUnnamed(named: readonly (PartColumn | null)[], profiles: readonly Profile[]): PartColumn[] {
  return profiles.flatMap((profile, at) => {
    const own = named[at];
    if (own) return own;
    const neighbors = [named[at - 1], named[at + 1]].filter(each => each?.sure);
    return neighbors.length === 0
      ? []
      : (partByValues(
          profile,
          at,
          neighbors.some(each => each!.situs),
        ) ?? []);
  });
}

/** Combines address parts (house number, street, street type, unit) into the parcels' addresses. */
export function situsFromParts(columns: readonly PartColumn[], cities: readonly Profile[]): Candidate[] {
  const numbers = columns.filter(({ part }) => part === 'number');
  const filled = Math.max(0, ...numbers.map(({ profile }) => profile.filled.length));
  // A column with far fewer values has the suffixes of the house numbers in another column.
  const full = numbers.filter(({ profile }) => profile.filled.length > 0.5 * filled);
  const best = [...full.filter(({ situs }) => situs), ...full.filter(({ situs }) => !situs)];
  for (const number of best) {
    const whole = columns.find(
      each =>
        (each.part === 'line' || each.part === 'name') &&
        !endInPlaces(each.profile) &&
        !endsInCity(each.profile, cities) &&
        isWhole(each, number),
    );
    if (whole) {
      const spec = readColumns([whole, ...restOf(whole, columns)]);
      const why = `contains ${number.profile.name} and the street`;
      return [{ field: 'situs_address', ...spec, confidence: 0.95, why }];
    }
    const name = streetOf(number, columns);
    if (name === undefined) continue;
    const parts = adjacentParts(number, name, columns);
    const sure = number.sure && name.sure && name.part === 'name';
    return [
      {
        field: 'situs_address',
        ...readColumns(parts),
        confidence: sure ? SURE_PARTS : LIKELY_PARTS,
        why: parts.length === 2 ? 'house number and street' : 'the parts of an address, in order',
      },
    ];
  }
  return [];
}

export function withUnit(candidate: Candidate, columns: readonly PartColumn[]): Candidate {
  const line = columns.find(({ profile }) => profile.name === candidate.columns[0]);
  const isPlain = candidate.columns.length === 1 && candidate.spec.part === undefined;
  if (candidate.field !== 'situs_address' || !isPlain || line === undefined) return candidate;
  const rest = restOf(line, columns);
  return rest.length === 0 ? candidate : { ...candidate, ...readColumns([line, ...rest]) };
}

/** Whether half of the lines continue with the city, which has its own column. */
export const endsInCity = ({ texts }: Profile, cities: readonly Profile[]): boolean =>
  cities.some(city => {
    const rows = texts.flatMap((text, i) => (text && city.texts[i] ? [[text, city.texts[i]] as const] : []));
    const ends = rows.filter(([text, name]) => text.toUpperCase().endsWith(` ${name.toUpperCase()}`));
    return ends.length > 0.5 * Math.max(1, rows.length);
  });

function readColumns(parts: readonly PartColumn[]): Pick<Candidate, 'columns' | 'spec'> {
  const columns = parts.map(({ profile }) => profile.name);
  return { columns, spec: columns.length === 1 ? { column: columns[0]! } : { columns } };
}

const distance = (one: PartColumn, other: PartColumn): number => Math.abs(one.at - other.at);

/** Whether the address parts between two columns are close together. */
function isNear(one: PartColumn, other: PartColumn, columns: readonly PartColumn[]): boolean {
  const [from, to] = [Math.min(one.at, other.at), Math.max(one.at, other.at)];
  const between = columns.map(({ at }) => at).filter(at => at >= from && at <= to);
  return between.every((at, i) => i === 0 || at - between[i - 1]! <= MAX_PART_DISTANCE);
}

function pairs({ profile: one }: PartColumn, { profile: other }: PartColumn): [string, string][] {
  return one.texts.flatMap((text, i): [string, string][] => {
    const otherText = other.texts[i];
    return text === null || otherText == null ? [] : [[text.toUpperCase(), otherText.toUpperCase()]];
  });
}

/**
 * Whether the lines of an address column start with the house numbers. A line that isn't labeled as situs
 * must do so in nearly all rows, because owners who live on their parcels have the same address.
 */
function isWhole(line: PartColumn, number: PartColumn): boolean {
  const rows = pairs(line, number);
  const same = rows.filter(([text, house]) => text.startsWith(`${house} `));
  return rows.length >= 3 && same.length >= (line.situs ? 0.8 : 0.98) * rows.length;
}

/**
 * Finds the street for a house number. Prefers the parcel's own columns, and columns named street over
 * address lines.
 */
function streetOf(number: PartColumn, columns: readonly PartColumn[]): PartColumn | undefined {
  const streets = columns.filter(
    each =>
      (each.part === 'name' || each.part === 'line') &&
      each.profile.filled.length > 0 &&
      averageLength(each.profile) > 2.5 &&
      !isAddress(each) &&
      isStreet(each, columns) &&
      ((number.situs && each.situs) || isNear(each, number, columns)),
  );
  const rank = (each: PartColumn) =>
    (each.situs === number.situs ? 0 : 100) + (each.part === 'name' ? 0 : 50) + distance(each, number);
  return streets.sort((a, b) => rank(a) - rank(b))[0];
}

const HOUSE_AND_STREET = /^\d+[A-Z]? +(?!(ST|ND|RD|TH)\b)[A-Z]/i;
/** Whether a line is an address with its own house number. */
const isAddress = ({ profile }: PartColumn): boolean =>
  profile.filled.filter(text => HOUSE_AND_STREET.test(text)).length > 0.5 * profile.filled.length;

/** A name column is a street if its values or an adjacent street type say so. */
const isStreet = (name: PartColumn, columns: readonly PartColumn[]): boolean =>
  name.sure ||
  endsInSuffix(name.profile) ||
  columns.some(each => each.part === 'type' && areSuffixes(each.profile) && distance(each, name) <= 2);

/** The number, the street, and adjacent parts, each once, in mailing order. */
function adjacentParts(number: PartColumn, name: PartColumn, columns: readonly PartColumn[]): PartColumn[] {
  const chosen = new Map<AddressPart, PartColumn>([
    ['number', number],
    ['name', name],
  ]);
  const isSitus = number.situs && name.situs;
  const others = columns.filter(each => each !== number && each !== name && each.part !== 'line');
  // Nearest first, so that two addresses in the same table each keep their own parts.
  const nearest = (each: PartColumn) =>
    (each.situs === isSitus ? 0 : 100) + Math.min(distance(each, number), distance(each, name));
  const queue = others.sort((a, b) => nearest(a) - nearest(b) || a.at - b.at);
  for (const each of queue) {
    if (!isNear(each, name, columns) && !isNear(each, number, columns) && !(isSitus && each.situs)) continue;
    const part = partOf(each, name, chosen);
    if (part === null || chosen.has(part) || part === 'name' || part === 'number') continue;
    if (isHeld(each, name, part)) continue;
    chosen.set(part, each);
  }
  // A unit type without unit numbers belongs to something else.
  if (!chosen.has('unit')) chosen.delete('unit_type');
  return ADDRESS_PARTS.flatMap(part => chosen.get(part) ?? []);
}

/**
 * A direction column that isn't named prefix or suffix goes on the side of the street where the column is.
 */
function partOf(
  each: PartColumn,
  name: PartColumn,
  chosen: ReadonlyMap<AddressPart, PartColumn>,
): AddressPart | null {
  if (each.part === 'line') return null;
  if (each.part === 'direction') return each.at < name.at ? 'pre_direction' : 'post_direction';
  if (each.part === 'type' && chosen.has('type')) return each.at < name.at ? 'pre_type' : 'post_direction';
  return each.part;
}

/** Whether the street already includes the part: N MAIN ST next to N and ST. */
function isHeld(part: PartColumn, name: PartColumn, kind: AddressPart): boolean {
  if (kind === 'number_prefix' || kind === 'number_suffix') return false;
  const rows = pairs(part, name);
  const same = rows.filter(([text, street]) => ` ${street} `.includes(` ${text} `));
  return rows.length >= 3 && same.length >= 0.9 * rows.length;
}

/** Parts in separate columns that aren't in a one-line address. */
function restOf(line: PartColumn, columns: readonly PartColumn[]): PartColumn[] {
  const type = columns.find(
    each =>
      each.part === 'type' &&
      each.sure &&
      distance(each, line) <= MAX_PART_DISTANCE &&
      (line.situs || !each.situs) &&
      areSuffixes(each.profile) &&
      !isHeld(each, line, 'type'),
  );
  return [...(type ? [type] : []), ...unitsOf(line, columns)];
}

function unitsOf(line: PartColumn, columns: readonly PartColumn[]): PartColumn[] {
  const candidates = columns.filter(
    each =>
      each !== line &&
      each.sure &&
      distance(each, line) <= MAX_PART_DISTANCE &&
      (line.situs || !each.situs) &&
      each.profile.filled.length > 0 &&
      !isHeld(each, line, 'unit'),
  );
  const unit = candidates.find(({ part }) => part === 'unit');
  if (unit === undefined) return [];
  const kind = candidates.find(({ part }) => part === 'unit_type');
  return kind ? [kind, unit] : [unit];
}
