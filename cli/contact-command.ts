import type { Command } from 'commander';
import { findAccount, operator } from '../shared/accounts/accounts.ts';
import { entityName } from '../shared/kernels/person/entity.ts';
import type { Address } from '../shared/kernels/person/match.ts';
import { person } from '../shared/kernels/person/person.ts';
import { phoneDigits } from '../shared/model/contact-fields.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { csv } from '../shared/platform/to-csv.ts';
import {
  type ForgetRequest,
  findMatchingContacts,
  forgetContact,
  suppressContact,
} from '../workers/contacts/forget-contact.ts';
import { moment, zip } from './common/cli-options.ts';
import { listCounts, table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

type Flags = Partial<
  Record<'first' | 'last' | 'entity' | 'phone' | 'address' | 'city' | 'state' | 'zip', string>
>;

const EXAMPLE = '--first Ada --last Nowell --address "12 Zephyr St" --zip 03431';

export function addContactCommands(program: Command): void {
  const contact = program
    .command('contact')
    .description("manage people's phone numbers: find, suppress, and erase people, and list skip traces");
  addFind(contact);
  addSuppress(contact);
  addForget(contact);
  addTraces(contact);
}

function addFind(contact: Command): void {
  action(
    withWhom(contact.command('find'))
      .description('show the records for a person, including people with the same name in the same place')
      .addHelpText('after', `\nExample:\n  plat contact find ${EXAMPLE}`),
    async ({ db }, flags: Flags) => {
      const rows = await findMatchingContacts(db, requestOf(flags));
      const lines = rows.map(
        ({ id, source, entity_name, first_name, last_name, places, phones, last_seen }) => ({
          id,
          source,
          last_seen,
          name: entity_name ?? `${first_name} ${last_name}`,
          address: places.map(written).join('; previously '),
          phones: phones.map(({ number }) => number).join(' '),
        }),
      );
      return [rows, table(lines, ['name', 'address', 'phones', 'last_seen', 'source', 'id'])];
    },
  );
}

function addSuppress(contact: Command): void {
  action(
    withWhom(contact.command('suppress'))
      .description(
        'hide a person in all sources, so that skip traces return no match; only hashes are stored',
      )
      .addHelpText(
        'after',
        `\nExamples:\n  plat contact suppress ${EXAMPLE}\n  plat contact suppress --phone 6035550101`,
      ),
    async ({ db }, flags: Flags) => {
      const request = requestOf(flags);
      const added = await suppressContact(db, request, await findMatchingContacts(db, request), operator());
      return [
        { suppressed: added },
        added === 0 ? 'Already on the suppression list.' : `Added ${added} entries to the suppression list.`,
      ];
    },
  );
}

function addForget(contact: Command): void {
  action(
    withWhom(contact.command('forget'))
      .description(
        'suppress a person and erase them from contacts, stored provider results, stored responses, former owners in the change feed, and list notes',
      )
      .addHelpText('after', `\nExample:\n  plat contact forget ${EXAMPLE}`),
    async ({ db }, flags: Flags) => {
      const erased = await forgetContact(db, requestOf(flags), operator());
      const { suppressed, ...counts } = erased;
      return [erased, `Erased: ${listCounts(counts)}. Added ${suppressed} entries to the suppression list.`];
    },
  );
}

function addTraces(contact: Command): void {
  action(
    contact
      .command('traces')
      .option('--account <account>', 'traces by one account (name or id)')
      .option('--since <moment>', 'traces since this time', moment)
      .option('--csv', 'print CSV')
      .description(
        'list the audit records of skip traces: who, when, and which source matched; the request is stored as a hash',
      )
      .addHelpText('after', '\nExample:\n  plat contact traces --account acme --since 2026-11-01 --csv'),
    async ({ db }, flags: { account?: string; since?: Date; csv?: boolean }) => {
      const account = flags.account === undefined ? null : await findAccount(db, flags.account);
      const rows = await db.run<Record<string, unknown>>('contacts/list_traces', {
        account_id: account,
        since: flags.since ?? null,
      });
      const columns = ['asked_at', 'account', 'key', 'endpoint', 'source', 'matched', 'question'];
      return [rows, flags.csv ? csv(rows, columns) : table(rows, columns)];
    },
  );
}

const written = ({ address, city, state, zip }: Address): string =>
  [address, city, [state, zip].filter(Boolean).join(' ')].filter(Boolean).join(', ');

function withWhom(command: Command): Command {
  return command
    .option('--first <name>', 'first name')
    .option('--last <name>', 'last name')
    .option('--entity <name>', 'name of a company, trust, or other entity, instead of a person')
    .option('--phone <number>', 'phone number, on its own or with a name')
    .option('--address <street>', 'street address or PO box')
    .option('--city <city>', 'city')
    .option('--state <state>', 'two-letter state')
    .option('--zip <zip>', '5-digit ZIP code', zip);
}

/** @throws PlatError `contact_request` when the flags don't identify a person or an entity */
function requestOf({ first, last, entity, phone, address, city, state, zip }: Flags): ForgetRequest {
  const number = phone === undefined ? null : phoneDigits(phone);
  if (phone !== undefined && number === null) throw wrong('--phone needs 10 digits.');
  const place = {
    address: address ?? null,
    city: city ?? null,
    state: state?.toUpperCase() ?? null,
    zip: zip ?? null,
  };
  if (first === undefined && last === undefined && entity === undefined) {
    if (number === null)
      throw wrong('Name a person or entity with --first and --last, --entity, or --phone.');
    return { subject: null, number };
  }
  if (place.zip === null && (place.city === null || place.state === null))
    throw wrong('Add --zip, or --city and --state.');
  if (entity !== undefined) {
    const name = entityName(entity);
    if (name === null || first !== undefined || last !== undefined)
      throw wrong('Use either --entity, or --first and --last.');
    return { subject: { entity: name }, address: place, number };
  }
  const parsed = person(first ?? '', last ?? '');
  if (parsed === null) throw wrong('Use both --first and --last.');
  return { subject: { person: parsed }, address: place, number };
}

const wrong = (message: string): PlatError => new PlatError('contact_request', message);
