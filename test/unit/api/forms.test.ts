import { describe, expect, test } from 'vitest';
import { answerForm, type FormResult, type Forms } from '../../../api/pages/frame/forms.ts';
import type { Reply, Visit } from '../../../api/pages/frame/visit.ts';
import { PlatError } from '../../../shared/platform/errors.ts';

const visitWith = (fields: Record<string, string>) => ({ form: new URLSearchParams(fields) }) as Visit;
const shownWith = (result: FormResult): Reply => ({ title: 'shown', body: JSON.stringify(result) });
const show: Forms['show'] = (_, { error: _error, ...result }) => shownWith(result);
const refuse = (code: string, details?: Record<string, string[]>) => () => {
  throw new PlatError(code, 'No.', details && { details });
};

describe('a form', () => {
  const actions: Forms['actions'] = {
    go: () => ({ redirect: '/there' }),
    make: () => ({ good: 'Made.', secret: 'key' }),
    refuse: refuse('validation_error', { name: ['is missing'], age: ['is low'] }),
    forbid: refuse('forbidden'),
    fail: refuse('internal_error'),
  };
  const answer = (fields: Record<string, string>, forms: Forms = { actions, show }) =>
    answerForm(forms, visitWith(fields));

  test('runs the action of its field `do`, else the default', async () => {
    expect(await answer({ do: 'go' })).toEqual({ redirect: '/there' });
    const forms = { actions: { ...actions, default: () => ({ redirect: '/usual' }) }, show };
    expect(await answer({}, forms)).toEqual({ redirect: '/usual' });
    expect(await answer({ do: 'other' }, forms)).toEqual({ redirect: '/usual' });
    expect(await answer({ do: 'go' }, forms)).toEqual({ redirect: '/there' });
  });

  test('is refused if no action has its name', async () => {
    for (const name of ['other', 'toString', ''])
      expect(await answer({ do: name })).toMatchObject({ title: 'shown', status: 400 });
  });

  test('shows the page with what was done', async () => {
    expect(await answer({ do: 'make' })).toEqual(shownWith({ good: 'Made.', secret: 'key' }));
  });

  test('with errors shows the page with the reasons, together and by field', async () => {
    const faults = { name: ['is missing'], age: ['is low'] };
    expect(await answer({ do: 'refuse' })).toEqual({
      status: 400,
      ...shownWith({ bad: 'is missing; is low', faults }),
    });
    expect(await answer({ do: 'forbid' })).toEqual({ status: 403, ...shownWith({ bad: 'No.', faults: {} }) });
  });

  test("of a page that isn't shown again, and an internal error, get the error page", async () => {
    await expect(answer({ do: 'refuse' }, { actions })).rejects.toMatchObject({ code: 'validation_error' });
    await expect(answer({ do: 'fail' })).rejects.toMatchObject({ code: 'internal_error' });
    const throws: Forms['show'] = (_, { error }) => {
      throw error;
    };
    await expect(answer({ do: 'forbid' }, { actions, show: throws })).rejects.toMatchObject({
      code: 'forbidden',
    });
  });
});
