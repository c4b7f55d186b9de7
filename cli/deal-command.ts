import { type Command, InvalidArgumentError, Option } from 'commander';
import { findAccount, operator } from '../shared/accounts/accounts.ts';
import {
  addDeal,
  changeDeal,
  type DealFields,
  type DealSubject,
  findBoard,
  type Owner,
} from '../shared/deals/deal-board.ts';
import {
  DEAL_MONEY,
  DEAL_STAGES,
  DEAL_TYPES,
  type DealStage,
  parseMoney,
} from '../shared/deals/deal-terms.ts';
import { UUID } from '../shared/model/uuid.ts';
import type { Db } from '../shared/platform/db.ts';
import { PlatError } from '../shared/platform/errors.ts';
import { day, propertyId, wholeNumber } from './common/cli-options.ts';
import { table } from './common/cli-output.ts';
import { action } from './common/cli-session.ts';

type AddFlags = {
  account: string;
  parcel?: number;
  listing?: string;
  url?: string;
  status?: DealStage;
  dealType?: DealFields['deal_type'];
  contractExpirationDate?: string;
  closingDate?: string;
} & Record<string, unknown>;

type Row = Record<string, unknown> & { id: string };

const LISTED =
  'id status address county state acreage price listing_grade price_advantage traction_score days_on_market ' +
  'suggested_action suggested_action_price expected_profit fetch_status';

/** Accepts amounts such as $18,400 and 18.4k. */
function amount(text: string): string {
  const decimal = parseMoney(text);
  if (decimal === undefined)
    throw new InvalidArgumentError('Enter an amount, such as 18400, $18,400, or 18.4k.');
  return decimal;
}

function uuid(text: string): string {
  if (!UUID.test(text)) throw new InvalidArgumentError('Enter an id in UUID format.');
  return text.toLowerCase();
}

function page(text: string): string {
  if (!/^https?:\/\//.test(text) || !URL.canParse(text))
    throw new InvalidArgumentError('Enter an http:// or https:// URL.');
  return text;
}

/** A board belongs to one of an account's users, or to the account itself. */
const onBoard = (command: Command) =>
  command.requiredOption('--account <account>', 'account that owns the board (name or id)');

export function addDealCommands(program: Command): void {
  const deal = program
    .command('deal')
    .description('manage deal boards: land for sale, with grades and advice');
  addNewDeal(deal);
  addList(deal);
  addMove(deal);
  addShow(deal);
}

function addNewDeal(deal: Command): void {
  const add = onBoard(deal.command('add'))
    .addOption(new Option('--parcel <id>', "the parcel's property_id").argParser(propertyId))
    .addOption(new Option('--listing <id>', 'id of its listing among the comps').argParser(uuid))
    .addOption(new Option('--url <address>', "URL of the listing's page").argParser(page))
    .addOption(new Option('--status <stage>', 'first stage').choices(DEAL_STAGES))
    .addOption(new Option('--deal-type <type>', 'how it closes').choices(DEAL_TYPES))
    .option('--contract-expiration-date <date>', 'YYYY-MM-DD', day)
    .option('--closing-date <date>', 'YYYY-MM-DD', day)
    .description('add a deal to a board; a worker finds its live listing')
    .addHelpText(
      'after',
      '\nExample:\n  plat deal add --account acme --parcel 3301900000149 --purchase-price 12k',
    );
  for (const name of [...DEAL_MONEY, 'price'])
    add.option(`--${name.replaceAll('_', '-')} <amount>`, 'USD', amount);
  action(add, async ({ db }, flags: AddFlags) => {
    const owner = await ownerOf(db, flags.account);
    const id = await db.transaction(tx => addDeal(tx, owner, subjectOf(flags), fieldsOf(flags)));
    const next = `To see what the worker finds, run \`plat deal show ${id} --account ${flags.account}\`.`;
    return [{ id }, `Added deal ${id}. ${next}`];
  });
}

function addList(deal: Command): void {
  const list = onBoard(deal.command('list')).description('list the deals of a board, by stage and position');
  action(list, async ({ db }, { account }: { account: string }) => {
    const rows = await readRows(db, account, null);
    return [rows, table(rows, LISTED.split(' '))];
  });
}

function addMove(deal: Command): void {
  const move = onBoard(deal.command('move'))
    .argument('<deal>', 'id of the deal', uuid)
    .addArgument(deal.createArgument('<stage>', DEAL_STAGES.join(', ')).choices(DEAL_STAGES))
    .option('--position <n>', 'position in the stage, starting at 0; default: the end', wholeNumber)
    .description('move a deal to another stage or position')
    .addHelpText(
      'after',
      '\nExample:\n  plat deal move 6f1d2a8e-3c47-4d19-9b52-7e0a4c8d1f23 in_title --account acme',
    );
  action(
    move,
    async ({ db }, id: string, status: DealStage, flags: { account: string; position?: number }) => {
      const owner = await ownerOf(db, flags.account);
      const { position } = flags;
      const change = { status, ...(position !== undefined && { position }) };
      if (!(await db.transaction(tx => changeDeal(tx, owner, id, change)))) throw unknown(id);
      return [{ id, status }, `Moved deal ${id} to ${status}.`];
    },
  );
}

function addShow(deal: Command): void {
  const show = onBoard(deal.command('show'))
    .argument('<deal>', 'id of the deal', uuid)
    .description('show a deal with the figures behind its grade, and its history');
  action(show, async ({ db }, id: string, { account }: { account: string }) => {
    const [row] = await readRows(db, account, id);
    if (row === undefined) throw unknown(id);
    const board = (await findBoard(db, await ownerOf(db, account)))!;
    const events = await db.run<{ at: Date; author: string; cause: string; changes: object }>(
      'deals/list_events',
      { board_id: board.id, deal_id: id, limit: 100 },
    );
    const { figures, advice, ...facts } = row;
    const { text } = (advice ?? {}) as { text?: string };
    const known = Object.entries({ ...facts, advice: text ?? null, ...(figures as object | null) });
    const lines = known.map(([name, value]) => ({ name, value }));
    const history = events.map(({ changes, ...event }) => ({ ...event, changes: JSON.stringify(changes) }));
    const columns = ['at', 'author', 'cause', 'changes'];
    return [{ ...row, history: events }, `${table(lines)}\n\n${table(history, columns)}`];
  });
}

async function ownerOf(db: Db, account: string): Promise<Owner> {
  return { accountId: await findAccount(db, account), author: operator() };
}

function subjectOf({ parcel, listing, url }: AddFlags): DealSubject {
  const references = [parcel, listing, url].filter(value => value !== undefined);
  if (references.length !== 1)
    throw new PlatError('validation_error', 'Use one of --parcel, --listing, and --url.');
  if (parcel !== undefined) return { property_id: parcel };
  return listing !== undefined ? { listing_id: listing } : { listing_url: url! };
}

function fieldsOf(flags: AddFlags): DealFields {
  const camel = (name: string) => name.replaceAll(/_(\w)/g, (_all, letter: string) => letter.toUpperCase());
  const names = [...DEAL_MONEY, 'price', 'status', 'deal_type', 'contract_expiration_date', 'closing_date'];
  return Object.fromEntries(
    names.flatMap(name => (flags[camel(name)] === undefined ? [] : [[name, flags[camel(name)]]])),
  );
}

async function readRows(db: Db, account: string, id: string | null): Promise<Row[]> {
  const board = await findBoard(db, await ownerOf(db, account));
  if (board === undefined) return [];
  const figures = id === null ? '' : ', d.figures';
  return db.run<Row>('deals/list_deals', { board_id: board.id, deal_id: id }, { figures });
}

const unknown = (id: string) =>
  new PlatError('not_found', `The board has no deal ${id}. \`plat deal list\` lists its deals.`);
