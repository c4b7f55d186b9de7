import {
  COMPANY_TRADES,
  COMPANY_WORDS,
  FAR_CITIES,
  FIRST_NAMES,
  LAST_NAMES,
  PUBLIC_OWNERS,
  STREET_KINDS,
  STREETS,
} from './names.ts';
import type { Place } from './places.ts';
import { below, between, createRandom, pick, type Random, seedOf, zipfRank } from './random.ts';

export type OwnerKind = 'person' | 'company' | 'trust' | 'hoa' | 'public';

export type Owner = {
  kind: OwnerKind;
  name2: string | null;
} & Record<'name' | 'mailAddress' | 'mailCity' | 'mailState' | 'mailZip', string>;

/**
 * Share of parcels that belong to owners of several parcels. The largest of these owners has about one in
 * seventy of them.
 */
const PORTFOLIO_SHARE = 0.38;
const PORTFOLIO_SHIFT = 10;
/** Number of owners with several parcels, as a share of all parcels. */
const PORTFOLIOS = 0.1;

/**
 * The owner number of the parcel with this serial. Numbers below `portfolios` are owners who may have several
 * parcels, by Zipf's law. The others own only this parcel.
 */
export function ownerOf(random: Random, serial: number, parcels: number): number {
  const portfolios = Math.max(1, Math.round(parcels * PORTFOLIOS));
  return random() < PORTFOLIO_SHARE ? zipfRank(random, portfolios, PORTFOLIO_SHIFT) : portfolios + serial;
}

/** Whether the owner with this number may have several parcels. */
export function hasPortfolio(owner: number, parcels: number): boolean {
  return owner < Math.max(1, Math.round(parcels * PORTFOLIOS));
}

/**
 * Generates the owner with this number. The same seed always gives the same owner, so nothing needs to be
 * stored.
 */
export function makeOwner(
  seed: number,
  number: number,
  isPortfolio: boolean,
  towns: readonly Place[],
): Owner {
  const random = createRandom(seedOf(seed, 20, number));
  const kind = ownerKind(random, isPortfolio);
  return { kind, ...ownerName(random, kind, number, towns), ...mailAddress(random, kind, towns) };
}

function ownerKind(random: Random, isPortfolio: boolean): OwnerKind {
  const draw = random();
  if (!isPortfolio) return draw < 0.87 ? 'person' : draw < 0.94 ? 'trust' : 'company';
  if (draw < 0.52) return 'company';
  if (draw < 0.7) return 'trust';
  return draw < 0.78 ? 'hoa' : draw < 0.8 ? 'public' : 'person';
}

function ownerName(random: Random, kind: OwnerKind, number: number, towns: readonly Place[]) {
  const last = pick(random, LAST_NAMES);
  const first = pick(random, FIRST_NAMES);
  const middle = String.fromCharCode(65 + below(random, 26));
  const word = pick(random, COMPANY_WORDS);
  switch (kind) {
    case 'person': {
      const spouse = random() < 0.4 ? `${last}, ${pick(random, FIRST_NAMES)}` : null;
      return { name: `${last}, ${first} ${middle}`, name2: spouse };
    }
    case 'company': {
      const suffix = pick(random, ['LLC', 'LLC', 'LLC', 'INC', 'LP', 'CO']);
      return { name: `${word} ${pick(random, COMPANY_TRADES)} ${number % 97} ${suffix}`, name2: null };
    }
    case 'trust':
      return { name: `${last} ${first} ${middle} REVOCABLE TRUST`, name2: `${last}, ${first} TRUSTEE` };
    case 'hoa':
      return { name: `${word} ${pick(random, STREETS)} HOMEOWNERS ASSOCIATION`, name2: null };
    case 'public': {
      const body = pick(random, PUBLIC_OWNERS);
      const town = pick(random, towns);
      return {
        name: body.endsWith('OF')
          ? `${body} ${town.city.toUpperCase()}`
          : `${town.county.toUpperCase()} ${body}`,
        name2: null,
      };
    }
  }
}

/** One in eight owners with several parcels, and one in four companies, has an address in another state. */
function mailAddress(random: Random, kind: OwnerKind, towns: readonly Place[]) {
  const isFar = kind !== 'hoa' && kind !== 'public' && random() < (kind === 'company' ? 0.25 : 0.12);
  const town = pick(random, towns);
  const [mailCity, mailState, mailZip] = isFar
    ? pick(random, FAR_CITIES)
    : [town.city.toUpperCase(), town.state, town.zip];
  const mailAddress =
    random() < 0.25
      ? `PO BOX ${between(random, 1, 9999)}`
      : `${between(random, 100, 9899)} ${pick(random, STREETS)} ${pick(random, STREET_KINDS)}`;
  return { mailAddress, mailCity, mailState, mailZip };
}
