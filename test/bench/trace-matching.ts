import { keyHashes, subjectOf, subjectsOf } from '../../shared/contacts/person-identity.ts';
import { type Address, bestMatches, type Candidate, placeOf } from '../../shared/kernels/person/match.ts';
import { type BenchOptions, type BenchResult, judged } from './bench.ts';
import { generatePeople, type TrueContact, type TrueQuestion } from './generate/people.ts';

const PEOPLE = 200_000;

type Known = Candidate & { id: number };

/**
 * Measures how well owners on a roll are matched to contacts. Precision is the share of matches that are one
 * of the owners. Recall is the share of the owners in the contacts who are matched. Uses the endpoint's
 * kernels on an index in memory.
 */
export function measureMatching(options: BenchOptions): BenchResult[] {
  const { contacts, questions } = generatePeople(18, options.quick ? 5_000 : PEOPLE);
  options.note(`  ${contacts.length} contacts, ${questions.length} owners`);
  const index = indexOf(contacts);
  const known = new Set(contacts.map(({ id }) => id));
  const tally = { found: 0, right: 0, sought: 0, missed: 0 };
  const wrong: Record<string, number> = {};
  for (const question of questions) {
    const answer = find(index, question);
    const sought = question.ids.some(id => known.has(id));
    if (sought) tally.sought++;
    if (answer === null) tally.missed += sought ? 1 : 0;
    else {
      tally.found++;
      if (question.ids.includes(answer.id)) tally.right++;
      else wrong[answer.matchedOn] = (wrong[answer.matchedOn] ?? 0) + 1;
    }
  }
  const details = {
    ...tally,
    ...Object.fromEntries(Object.entries(wrong).map(([on, n]) => [`wrong by ${on}`, n])),
  };
  return [
    judged(
      {
        name: 'owners found who are the owners (precision)',
        reference: '',
        value: (100 * tally.right) / tally.found,
        unit: '%',
        details,
      },
      { least: 99 },
    ),
    judged(
      {
        name: 'known owners who are found (recall)',
        reference: '',
        value: (100 * tally.right) / tally.sought,
        unit: '%',
        details: {},
      },
      { least: 95 },
    ),
  ];
}

type Index = Map<string, Known[]>;

function indexOf(contacts: readonly TrueContact[]): Index {
  const index: Index = new Map();
  for (const { id, first, middle, last, suffix, places, phone } of contacts) {
    const subject = subjectOf({
      entity_name: null,
      first_name: first,
      middle_name: middle,
      last_name: last,
      suffix,
    });
    if (subject === null) continue;
    const known = { id, subject, places: places.map(placeOf), phones: [phone] };
    for (const key of keyHashes(subject, known.places)) {
      const list = index.get(key);
      if (list) list.push(known);
      else index.set(key, [known]);
    }
  }
  return index;
}

function find(index: Index, question: TrueQuestion) {
  const address: Address = question;
  const place = placeOf(address);
  const subjects = subjectsOf(question.owner);
  const candidates = [
    ...new Set(subjects.flatMap(subject => keyHashes(subject, [place]).flatMap(key => index.get(key) ?? []))),
  ];
  for (const subject of subjects) {
    const [match] = bestMatches(subject, place, candidates);
    if (match) return { id: match.candidate.id, matchedOn: match.matchedOn };
  }
  return null;
}
