import { phoneKey } from '../../../shared/contacts/person-identity.ts';
import { hashesOf, hexOf } from '../../../shared/contacts/suppression.ts';
import { logCall, STATUS_AFTER, undoCall } from '../../../shared/lists/list-calls.ts';
import type { ListRecord } from '../../../shared/lists/list-terms.ts';
import { readOffers } from '../../../shared/lists/read-offers.ts';
import { usd } from '../../../shared/model/figures.ts';
import { referenceOf } from '../../../shared/model/row-reference.ts';
import { PlatError } from '../../../shared/platform/errors.ts';
import { notFound } from '../../http/error-responses.ts';
import { changeRows } from '../../v1/lists/change-list-rows.ts';
import { findList } from '../../v1/lists/list-schema.ts';
import type { FormResult } from '../frame/forms.ts';
import { Crumbs, Empty, Notice, Submit, Toast } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, requireAccount, type Visit } from '../frame/visit.ts';
import { CallCard, OUTCOME_WORDS } from './call-card.tsx';
import { type CallQueue, isOutcome, pickOwner, readCallQueue } from './call-queue.ts';
import { listIdOf } from './list-id.ts';
import { isStatus, plural } from './list-words.ts';

/** One owner after another to call, made for a phone. */
export const callSheetPage: Page = {
  path: '/lists/:id/calls',
  access: 'app',
  show,
  actions: { undo, default: log },
};

const pathOf = (list: Pick<ListRecord, 'id'>): string => `/lists/${list.id}/calls`;

async function read(visit: Visit): Promise<{ companyId: string; list: ListRecord }> {
  const { companyId } = await requireAccount(visit);
  return { companyId, list: await findList(visit.deps.db, companyId, listIdOf(visit)) };
}

const change = (visit: Visit, list: ListRecord, body: object) =>
  callEndpoint(visit, changeRows, { params: { id: list.id }, body });

async function log(visit: Visit): Promise<Reply> {
  const { form, deps } = visit;
  const { companyId, list } = await read(visit);
  const outcome = form.get('outcome');
  const propertyId = Number(form.get('property_id'));
  const number = form.get('number') ?? '';
  const was = form.get('was') ?? '';
  if (!isOutcome(outcome) || !Number.isSafeInteger(propertyId) || !/^\d{10}$/.test(number))
    throw new PlatError('validation_error', 'Choose the number that you called, then how the call ended.');
  const call = { propertyId, outcome, number, userId: visit.session!.user.id };
  const at = await deps.db.transaction(tx => logCall(tx, companyId, list, call));
  if (at === undefined) throw notFound('This owner is no longer in the list.');
  const status = STATUS_AFTER[outcome];
  const note = (form.get('note') ?? '').replaceAll('\r\n', '\n').trim();
  const isNoted = note !== (form.get('note_was') ?? '');
  if (status !== undefined || isNoted)
    await change(visit, list, {
      property_ids: [propertyId],
      ...(status !== undefined && { status }),
      ...(isNoted && { note }),
    });
  const said = new URLSearchParams({ logged: String(propertyId), outcome, at, was });
  return { redirect: `${pathOf(list)}?${said}` };
}

async function undo(visit: Visit): Promise<Reply> {
  const { form, deps } = visit;
  const { companyId, list } = await read(visit);
  const [propertyId, was, calledAt] = [
    Number(form.get('property_id')),
    form.get('was'),
    form.get('at') ?? '',
  ];
  if (Number.isNaN(Date.parse(calledAt)))
    throw new PlatError('validation_error', 'Reload the page to undo this call.');
  await deps.db.transaction(tx => undoCall(tx, companyId, list, { propertyId, calledAt }));
  if (isStatus(was)) await change(visit, list, { property_ids: [propertyId], status: was });
  return { redirect: `${pathOf(list)}?row=${propertyId}` };
}

async function show(visit: Visit, { bad }: FormResult): Promise<Reply> {
  const { companyId, list } = await read(visit);
  const { searchParams } = visit.url;
  const queue = await readCallQueue(visit, list);
  const row = visit.form.get('property_id') ?? searchParams.get('row');
  const queued = pickOwner(queue, { row, after: searchParams.get('after') });
  return {
    title: `Call sheet: ${list.name}`,
    assetNames: ['cards.css', 'phones.css', 'call-sheet.css', 'call-sheet.mjs'],
    body: (
      <div class="call-sheet">
        <Crumbs of={[['Lists', '/lists'], [list.name, `/lists/${list.id}`], ['Call sheet']]} />
        <header>
          <h1>Call sheet</h1>
          <p>
            <small id="progress">
              {plural(queue.owners.length, 'owner')} to call · {queue.calledToday} called today
            </small>
          </p>
        </header>
        {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
        <Logged visit={visit} path={pathOf(list)} />
        {queued === undefined ? (
          <Empty icon="phone" title="No owners to call">
            Select rows of the <a href={`/lists/${list.id}`}>list</a>, then choose “Get phone numbers”.
          </Empty>
        ) : (
          <CallCard
            queued={queued}
            path={pathOf(list)}
            now={visit.deps.now()}
            reference={referenceOf(queued.row.property_id)}
            offer={await offerOfRow(visit, companyId, list, queued.row.property_id)}
            wrongNumbers={await wrongNumbers(visit, queued)}
            more={queue.owners.length > 1}
          />
        )}
        <NotCalled queue={queue} />
      </div>
    ),
  };
}

async function offerOfRow(visit: Visit, companyId: string, list: ListRecord, id: number): Promise<string> {
  const offers = await readOffers(visit.deps.db, companyId, list, { among: [id] });
  const offer = offers.get(id)?.offer ?? null;
  return offer === null ? 'No offer' : `Offer ${usd(offer)}`;
}

async function wrongNumbers(
  { deps }: Visit,
  { found, last }: NonNullable<ReturnType<typeof pickOwner>>,
): Promise<Set<string>> {
  const numbers = found.trace.phones.map(({ number }) => number);
  const hashes = await hashesOf(deps.db, numbers.map(phoneKey));
  const wrong = new Set((last?.wrong_numbers ?? []).map(hexOf));
  return new Set(numbers.filter((_, i) => wrong.has(hexOf(hashes[i]!))));
}

/** What the last form did, with a button to undo it. */
function Logged({ visit, path }: { visit: Visit; path: string }) {
  const { searchParams } = visit.url;
  const [logged, outcome, at] = ['logged', 'outcome', 'at'].map(name => searchParams.get(name));
  if (!logged || !at || !isOutcome(outcome!) || visit.req.method === 'POST') return null;
  const fields = { property_id: logged, at, was: searchParams.get('was') ?? '' };
  const words = outcome === 'do_not_call' ? 'Owner marked Do not call in all lists' : 'Call logged';
  return (
    <Toast words={`${words}: ${OUTCOME_WORDS[outcome]} `}>
      <form method="post" action={path} class="buttons">
        {Object.entries(fields).map(([name, value]) => (
          <input type="hidden" name={name} value={value} />
        ))}
        <Submit label="Undo" does="undo" kind="second small" />
      </form>
    </Toast>
  );
}

/** Owners who are not on the sheet, and why. */
function NotCalled({ queue: { askedNotTo, withheld } }: { queue: CallQueue }) {
  const lines = [
    ...(askedNotTo > 0 ? [`${plural(askedNotTo, 'owner')} asked you not to call.`] : []),
    ...[...withheld].map(([reason, n]) => `${plural(n, 'owner')} withheld: ${reason}.`),
  ];
  return lines.length === 0 ? null : (
    <p class="hint" id="left-out">
      Not on this sheet: {lines.join(' ')}
    </p>
  );
}
