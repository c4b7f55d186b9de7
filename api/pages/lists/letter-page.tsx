import { readLetterHead } from '../../../shared/exports/letter-head.ts';
import {
  EXAMPLE_LETTER,
  LETTER_FIELDS,
  MAX_LETTER,
  mergeLetter,
  SUGGESTED_LETTER,
} from '../../../shared/exports/letter-text.ts';
import { readPaidLetters } from '../../../shared/exports/letters.ts';
import { findList } from '../../v1/lists/list-schema.ts';
import { changeList } from '../../v1/lists/lists.ts';
import type { FormResult } from '../frame/forms.ts';
import { Icon } from '../frame/icons.tsx';
import { Crumbs, Field, Notice, Submit } from '../frame/layout.tsx';
import type { Page } from '../frame/pages.tsx';
import { callEndpoint, type Reply, requireAccount, type Visit } from '../frame/visit.ts';
import { listIdOf } from './list-id.ts';

const MAX_SHOWN = 3;

/** The text of a list's letters, and a preview of the first ones. */
export const letterPage: Page = {
  path: '/lists/:id/letter',
  access: 'app',
  show,
  actions: {
    default: visit => save(visit, visit.form.get('letter') ?? ''),
    suggested: visit => save(visit, null),
  },
};

async function save(visit: Visit, letter: string | null): Promise<Reply> {
  const id = listIdOf(visit);
  await callEndpoint(visit, changeList, { params: { id }, body: { letter } });
  return { redirect: `/lists/${id}/letter` };
}

async function show(visit: Visit, { bad }: FormResult): Promise<Reply> {
  const { db, now } = visit.deps;
  const { companyId } = await requireAccount(visit);
  const list = await findList(db, companyId, listIdOf(visit));
  const head = await readLetterHead(db, companyId, now());
  const text = list.letter ?? SUGGESTED_LETTER;
  const paid = await readPaidLetters(db, companyId, list, MAX_SHOWN);
  const letters = paid.length > 0 ? paid : [EXAMPLE_LETTER];
  return {
    title: 'Letter',
    assetNames: ['cards.css', 'lists.css', 'letters.css', 'exports.mjs'],
    body: (
      <>
        <Crumbs of={[['Lists', '/lists'], [list.name, `/lists/${list.id}`], ['Letter']]} />
        <header class="pagehead">
          <h1>Letter</h1>
          <div class="buttons">
            <a class="button primary" href={`/exports?list_id=${list.id}&kind=mail_pdf`} data-dialog>
              <Icon name="download" /> Export letters
            </a>
          </div>
        </header>
        {bad !== undefined && <Notice kind="bad">{bad}</Notice>}
        <div class="letters">
          <LetterForm text={(bad && visit.form.get('letter')) || text} isOwn={list.letter !== null} />
          <section aria-labelledby="preview-title" id="preview">
            <h2 id="preview-title">Preview</h2>
            <p>
              <small>
                {paid.length > 0
                  ? `The first ${paid.length === 1 ? 'letter' : `${paid.length} letters`} of the rows that you have paid for.`
                  : 'This is an example with an invented owner. To see your own letters here, export rows that have a price.'}
              </small>
            </p>
            {letters.map(cells => (
              <article class="letter">{mergeLetter(text, cells, head)}</article>
            ))}
          </section>
        </div>
      </>
    ),
  };
}

const LetterForm = ({ text, isOwn }: { text: string; isOwn: boolean }) => (
  <form method="post" class="stack card">
    <Field
      name="letter"
      label="Text"
      hint="A line is left out if all of its fields are empty. The page size is US letter, with margins of one inch."
    >
      <textarea
        id="letter"
        name="letter"
        rows={28}
        required
        maxlength={MAX_LETTER}
        aria-describedby="letter-told"
      >
        {`\n${text}`}
      </textarea>
    </Field>
    <details>
      <summary>Fields</summary>
      <p class="fields">
        {LETTER_FIELDS.map(name => (
          <code>{`{${name}}`}</code>
        ))}
      </p>
      <p>
        <small>
          <code>{'{sender}'}</code> is your company's name. <code>{'{sender_address}'}</code> is the address
          on your <a href="/account/brand">brand page</a>.
        </small>
      </p>
    </details>
    <div class="buttons">
      <Submit label="Save and preview" />
      {isOwn && <Submit label="Use Plat's letter" does="suggested" kind="second" />}
    </div>
  </form>
);
