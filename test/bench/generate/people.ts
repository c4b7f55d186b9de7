import { FAR_CITIES, FIRST_NAMES, LAST_NAMES, STREETS } from './names.ts';
import { between, createRandom, pick, type Random } from './random.ts';

/**
 * Generates a population, the way a roll and a source of contacts record it, and the true matches. Names are
 * as frequent as in the census: 80 surnames cover a fifth of the people, and the rest have one of 30,000
 * others.
 */

/**
 * How often names and addresses differ between a roll and a source of contacts, by reason. docs/benchmarks.md
 * repeats these rates.
 */
export const RATES = {
  /** Share of people in the source. */
  known: 0.85,
  nickname: 0.1,
  /**
   * One letter is added, dropped, replaced, or swapped. The rate applies to the given name, the surname, and
   * the street separately.
   */
  typo: 0.02,
  /**
   * Share of women whose surname in the source differs from the one on the roll, and the share of those whose
   * old surname is not in the source.
   */
  married: 0.03,
  renamed: 0.3,
  /** Share of people who have moved, and the share of those whose former address is in the source. */
  moved: 0.08,
  movedKnown: 0.7,
  /**
   * Share of sons with their father's name at his address, and the share of records and rolls that include
   * the suffix.
   */
  junior: 0.02,
  juniorSaid: 0.9,
  /** Share of people with a namesake in the ZIP, in addition to namesakes that occur by chance. */
  namesake: 0.01,
  /** Share of records with a middle initial. */
  middle: 0.7,
};

type Home = { number: number; street: string; unit: string; city: string; state: string; zip: string };
type Human = {
  id: number;
  first: string;
  middle: string;
  last: string;
  woman: boolean;
  suffix: string;
  home: Home;
  spouse: Human | null;
};

export type TrueContact = {
  id: number;
  first: string;
  middle: string;
  last: string;
  suffix: string;
  places: { address: string; city: string; state: string; zip: string }[];
  phone: string;
};
/** `ids` are the people that a correct match may return. The person listed first on the roll comes first. */
export type TrueQuestion = {
  owner: string;
  address: string;
  city: string;
  state: string;
  zip: string;
  ids: number[];
};

const chance = (random: Random, share: number) => random() < share;

const WOMEN = new Set(
  'MARY PATRICIA JENNIFER LINDA ELIZABETH BARBARA SUSAN JESSICA KAREN SARAH LISA NANCY SANDRA BETTY ASHLEY EMILY KIMBERLY MARGARET DONNA MICHELLE CAROL AMANDA MELISSA DEBORAH STEPHANIE REBECCA SHARON LAURA CYNTHIA DOROTHY'.split(
    ' ',
  ),
);
const SHORT: Record<string, string[]> = {
  ROBERT: ['BOB', 'ROB'],
  WILLIAM: ['BILL', 'WILL'],
  JAMES: ['JIM'],
  JENNIFER: ['JEN', 'JENNY'],
  MICHAEL: ['MIKE'],
  ELIZABETH: ['LIZ', 'BETH'],
  THOMAS: ['TOM'],
  PATRICIA: ['PAT', 'PATTY'],
  RICHARD: ['RICK', 'DICK'],
  JOSEPH: ['JOE'],
  CHARLES: ['CHUCK'],
  DANIEL: ['DAN'],
  MATTHEW: ['MATT'],
  ANTHONY: ['TONY'],
  STEVEN: ['STEVE'],
  ANDREW: ['ANDY'],
  KENNETH: ['KEN'],
  TIMOTHY: ['TIM'],
  RONALD: ['RON'],
  EDWARD: ['ED'],
  SUSAN: ['SUE'],
  MARGARET: ['PEGGY', 'MEG'],
  DEBORAH: ['DEB'],
  REBECCA: ['BECKY'],
  STEPHANIE: ['STEPH'],
  DAVID: ['DAVE'],
  JEFFREY: ['JEFF'],
  CYNTHIA: ['CINDY'],
};
const KINDS: [string, string][] = [
  ['ST', 'STREET'],
  ['AVE', 'AVENUE'],
  ['RD', 'ROAD'],
  ['DR', 'DRIVE'],
  ['LN', 'LANE'],
  ['CT', 'COURT'],
];
const SYLLABLES =
  'BAN BER BRO CAR COL DAN DEL FAL FEN GAR GRA HAL HAR HOL KEN KIR LAN LAR MAR MER MON NOR OST PAL PEN RAN ROS SAL SCH SOL STA STE THO TOR VAL VAN WAL WEN WIL ZIM'.split(
    ' ',
  );
const ENDS = 'ER SON MAN LEY TON BERG SKI ELLI INO OWSKI ARD ETT IN E BY FORD WOOD LAND STEIN'.split(' ');

export function generatePeople(
  seed: number,
  people: number,
): { contacts: TrueContact[]; questions: TrueQuestion[] } {
  const random = createRandom(seed);
  const humans = populate(random, people);
  const contacts = humans.filter(() => chance(random, RATES.known)).map(human => record(random, human));
  const questions = humans
    .filter((human, i) => i % 5 === 0 && (human.spouse === null || human.id < human.spouse.id))
    .map(human => question(random, human));
  return { contacts, questions };
}

/** Creates households in ZIPs of about 5,000 people. */
function populate(random: Random, people: number): Human[] {
  const surnames = Array.from(
    { length: 30_000 },
    () =>
      pick(random, SYLLABLES) + pick(random, SYLLABLES).slice(0, between(random, 1, 3)) + pick(random, ENDS),
  );
  const surname = () =>
    chance(random, 0.2) ? pick(random, LAST_NAMES) : surnames[Math.floor(surnames.length * random() ** 2)]!;
  const humans: Human[] = [];
  const add = (given: Omit<Human, 'id' | 'woman' | 'spouse' | 'middle'>): Human => {
    const human = {
      ...given,
      id: humans.length,
      woman: WOMEN.has(given.first),
      middle: pick(random, 'ABCDEFGHJKLMNPRSTW'.split('')),
      spouse: null,
    };
    humans.push(human);
    return human;
  };
  while (humans.length < people) {
    const home = homeOf(random, Math.floor(humans.length / 5_000));
    const last = surname();
    const one = add({ first: firstName(random), last, suffix: '', home });
    if (chance(random, 0.6)) {
      const other = add({ first: firstName(random), last, suffix: '', home });
      one.spouse = other;
      other.spouse = one;
    }
    if (!one.woman && chance(random, RATES.junior)) {
      one.suffix = 'SR';
      add({
        first: one.first,
        last,
        suffix: 'JR',
        home: chance(random, 0.5) ? home : homeOf(random, Math.floor(humans.length / 5_000)),
      });
    }
    if (chance(random, RATES.namesake))
      add({
        first: one.first,
        last,
        suffix: '',
        home: { ...homeOf(random, 0), city: home.city, state: home.state, zip: home.zip },
      });
  }
  return humans;
}

const firstName = (random: Random) =>
  chance(random, 0.75)
    ? pick(random, FIRST_NAMES)
    : pick(random, SYLLABLES) + pick(random, ['A', 'IA', 'US', 'EN', 'ELL', 'O', 'IE', 'ARD']);

function homeOf(random: Random, area: number): Home {
  const [city, state, zip] = FAR_CITIES[area % FAR_CITIES.length]!;
  const [kind] = pick(random, KINDS);
  return {
    number: between(random, 1, 2_000),
    street: `${pick(random, STREETS)} ${kind}`,
    unit: chance(random, 0.15) ? `APT ${between(random, 1, 40)}` : '',
    city: `${city} ${Math.floor(area / FAR_CITIES.length / 3)}`,
    state,
    zip: String((Number(zip) + Math.floor(area / FAR_CITIES.length)) % 100_000).padStart(5, '0'),
  };
}

function typo(random: Random, text: string): string {
  if (!chance(random, RATES.typo) || text.length < 3) return text;
  const at = between(random, 1, text.length - 2);
  const letter = pick(random, 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'.split(''));
  const [head, tail] = [text.slice(0, at), text.slice(at)];
  return pick(random, [
    head + letter + tail,
    head + tail.slice(1),
    head + letter + tail.slice(1),
    head + tail[1] + tail[0] + tail.slice(2),
  ]);
}

/** An address as a clerk would write it. */
function written(random: Random, { number, street, unit, city, state, zip }: Home) {
  const words = street.split(' ');
  const kind = words.pop()!;
  const long = KINDS.find(([short]) => short === kind)![1];
  const name = typo(random, words.join(' '));
  const door =
    unit === '' || chance(random, 0.2)
      ? ''
      : pick(random, [` ${unit}`, ` ${unit.replace('APT ', '#')}`, `, ${unit.replace('APT', 'UNIT')}`]);
  return { address: `${number} ${name} ${chance(random, 0.5) ? kind : long}${door}`, city, state, zip };
}

function record(random: Random, human: Human): TrueContact {
  const { id, home, suffix, woman } = human;
  let { first, last, middle } = human;
  if (SHORT[first] && chance(random, RATES.nickname)) first = pick(random, SHORT[first]!);
  if (!chance(random, RATES.middle)) middle = '';
  if (woman && chance(random, RATES.married)) {
    const maiden = pick(random, LAST_NAMES);
    last = chance(random, RATES.renamed)
      ? maiden
      : pick(random, [`${maiden}-${last}`, `${maiden} ${last}`, `${last}-${maiden}`]);
  }
  const moved = chance(random, RATES.moved);
  const now = moved
    ? {
        ...homeOf(random, 0),
        ...(chance(random, 0.5) && { city: home.city, state: home.state, zip: home.zip }),
      }
    : home;
  const places = [
    written(random, now),
    ...(moved && chance(random, RATES.movedKnown) ? [written(random, home)] : []),
  ];
  return {
    id,
    middle,
    places,
    first: typo(random, first),
    last: typo(random, last),
    suffix: suffix !== '' && chance(random, RATES.juniorSaid) ? suffix : '',
    phone: String(2_005_550_100 + id),
  };
}

/** An owner and address as an assessor would write them down. */
function question(random: Random, human: Human): TrueQuestion {
  const { first, middle, last, suffix, home, spouse } = human;
  const said = suffix === 'JR' && chance(random, RATES.juniorSaid) ? ` ${suffix}` : '';
  const initial = chance(random, 0.6) ? ` ${middle}` : '';
  const own = `${last}${chance(random, 0.5) ? ',' : ''} ${typo(random, first)}${initial}${said}`;
  const both =
    spouse === null ? own : `${own} & ${spouse.first}${chance(random, 0.4) ? ` ${spouse.middle}` : ''}`;
  return { owner: both, ...written(random, home), ids: [human.id, ...(spouse === null ? [] : [spouse.id])] };
}
