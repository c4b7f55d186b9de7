import express from 'express';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { Reply, Visit } from './visit.ts';

export type Faults = Readonly<Record<string, readonly string[]>>;

export type Done = { good: string; secret?: string };

export type FormResult = Partial<Done> & { bad?: string; faults?: Faults; error?: PlatError };

/** Does what a form requests, and returns what was done or where the browser goes next. */
export type Action = (visit: Visit) => Promise<Done | Reply> | Done | Reply;

export type Forms = {
  /** By the form's field `do`. `default` is for forms without it, or with another value. */
  actions?: Readonly<Record<string, Action>>;
  /**
   * The page, with the result of a form that was sent. Without it, a refused form gets the error page; so it
   * does when this throws the error again.
   */
  show?(visit: Visit, result: FormResult): Promise<Reply> | Reply;
  /** Its address is all the right that it asks for, so that its form may come from anywhere. */
  fromAnywhere?: true;
  /** Its form may be as large as a file of 100,000 numbers. */
  largeForm?: true;
};

/** @throws PlatError `forbidden` for another site's form, `validation_error` for what is no form */
export async function receiveForm({ fromAnywhere, largeForm }: Forms, visit: Visit): Promise<void> {
  if (!fromAnywhere) requireSameOrigin(visit);
  visit.form = await readForm(visit, largeForm ? parseLarge : parseUsual);
}

/** Runs the form's action. A refused form gets its page again; a fault of ours is the error page's. */
export async function answerForm({ actions = {}, show }: Forms, visit: Visit): Promise<Reply> {
  try {
    const name = visit.form.get('do') ?? 'default';
    const action = Object.hasOwn(actions, name) ? actions[name] : actions.default;
    if (action === undefined) throw new PlatError('validation_error', 'The form is not known.');
    const done = await action(visit);
    return 'good' in done ? await show!(visit, done) : done;
  } catch (error) {
    if (show === undefined || !(error instanceof PlatError) || error.code === 'internal_error') throw error;
    const faults = error.details ?? {};
    const reasons = Object.values(faults).flat();
    const bad = reasons.length > 0 ? reasons.join('; ') : error.message;
    const status = error.code === 'forbidden' ? 403 : 400;
    return { status, ...(await show(visit, { bad, faults, error })) } as Reply;
  }
}

const formParser = (limit: number) => express.urlencoded({ extended: false, limit, parameterLimit: 500 });
const parseUsual = formParser(200_000);
const parseLarge = formParser(4_000_000);

async function readForm({ req, res }: Visit, parse: typeof parseUsual): Promise<URLSearchParams> {
  await new Promise<void>((resolve, reject) => {
    parse(req, res, (error?: { limit?: number }) => {
      if (!error) return resolve();
      const why =
        error.limit === undefined
          ? 'The form could not be read.'
          : `The form has more than the ${error.limit / 1000} kB that are allowed: send less at once.`;
      reject(new PlatError('validation_error', why));
    });
  });
  const fields = Object.entries((req.body as Record<string, string | string[]> | undefined) ?? {});
  return new URLSearchParams(
    fields.flatMap(([name, value]) => [value].flat().map(one => [name, String(one)])),
  );
}

/** A form has to come from a page of ours: browsers say so in Sec-Fetch-Site and Origin. */
function requireSameOrigin({ req, deps }: Visit): void {
  const site = req.headers['sec-fetch-site'];
  const from = req.headers.origin;
  const fromHere =
    from !== undefined &&
    deps.origins.isOwnOrigin(from, req) &&
    (site === undefined || site === 'same-origin');
  if (fromHere) return;
  throw new PlatError(
    'forbidden',
    'This form was not sent from a page of Plat: open the page and try again.',
  );
}
