import express from 'express';
import type { ComponentChildren } from 'preact';
import { PlatError } from '../../../shared/platform/errors.ts';
import type { Reply, Visit } from './visit.ts';

export type Faults = Readonly<Record<string, readonly string[]>>;

export type Done = { good: string; secret?: string; more?: ComponentChildren };

export type FormResult = Partial<Done> & { bad?: string; faults?: Faults; error?: PlatError };

/** Runs a form's action and returns its result or where the browser goes next. */
export type Action = (visit: Visit) => Promise<Done | Reply> | Done | Reply;

export type Forms = {
  /** Actions by the value of the form's `do` field. `default` handles a missing or unknown value. */
  actions?: Readonly<Record<string, Action>>;
  /**
   * The page, with the result of a submitted form. If this is missing or throws the error again, a rejected
   * form gets the error page.
   */
  show?(visit: Visit, result: FormResult): Promise<Reply> | Reply;
  /** The form may come from any site, because its URL is the only permission needed. */
  fromAnywhere?: true;
  /** Accepts a form as large as a file with 100,000 parcel numbers. */
  largeForm?: true;
};

/** @throws PlatError `forbidden` for a form from another site, or `validation_error` for a malformed form */
export async function receiveForm({ fromAnywhere, largeForm }: Forms, visit: Visit): Promise<void> {
  if (!fromAnywhere) requireSameOrigin(visit);
  visit.form = await readForm(visit, largeForm ? parseLarge : parseUsual);
}

/**
 * Runs the form's action. For a rejected form, shows its page again. For an internal error, shows the error
 * page.
 */
export async function answerForm({ actions = {}, show }: Forms, visit: Visit): Promise<Reply> {
  try {
    const name = visit.form.get('do') ?? 'default';
    const action = Object.hasOwn(actions, name) ? actions[name] : actions.default;
    if (action === undefined)
      throw new PlatError('validation_error', "Plat doesn't know this form. Reload the page and try again.");
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
          ? "We couldn't read the form. Reload the page and try again."
          : `The form is larger than ${error.limit / 1000} kB. Send less at a time.`;
      reject(new PlatError('validation_error', why));
    });
  });
  const fields = Object.entries((req.body as Record<string, string | string[]> | undefined) ?? {});
  return new URLSearchParams(
    fields.flatMap(([name, value]) => [value].flat().map(one => [name, String(one)])),
  );
}

/** Rejects forms from other sites, based on the browser's Sec-Fetch-Site and Origin headers. */
function requireSameOrigin({ req, deps }: Visit): void {
  const site = req.headers['sec-fetch-site'];
  const from = req.headers.origin;
  const fromHere =
    from !== undefined &&
    deps.origins.isOwnOrigin(from, req) &&
    (site === undefined || site === 'same-origin');
  if (fromHere) return;
  throw new PlatError('forbidden', "This form wasn't sent from a Plat page. Open the page and try again.");
}
