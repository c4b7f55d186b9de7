import { expect } from 'vitest';
import type { newUser } from './visitor.ts';

export const CALLBACK = 'http://127.0.0.1:9/callback';

export type Assistants = ReturnType<typeof openAssistants>;

/** The steps that a person takes to authorize an assistant, at the service with this origin. */
export function openAssistants(origin: string, user: Awaited<ReturnType<typeof newUser>>) {
  /** A browser without scripts that keeps all cookies. */
  function browser() {
    const cookies = new Map<string, string>();
    async function send(address: string, init: RequestInit = {}): Promise<Response> {
      const url = new URL(address, origin);
      const headers = new Headers(init.headers);
      headers.set('Cookie', [...cookies].map(([name, value]) => `${name}=${value}`).join('; '));
      const response = await fetch(url, { redirect: 'manual', ...init, headers });
      for (const set of response.headers.getSetCookie()) {
        const [pair] = set.split(';');
        const at = pair!.indexOf('=');
        if (pair!.slice(at + 1) === '') cookies.delete(pair!.slice(0, at));
        else cookies.set(pair!.slice(0, at), pair!.slice(at + 1));
      }
      return response;
    }
    return {
      cookies,
      send,
      submit: (path: string, fields: Record<string, string>) =>
        send(path, {
          method: 'POST',
          headers: { Origin: origin, 'Sec-Fetch-Site': 'same-origin' },
          body: new URLSearchParams(fields),
        }),
    };
  }

  /**
   * Allows or denies access on the page that an assistant opens. Returns the redirect back to the assistant.
   */
  async function answer(
    address: URL,
    what: 'allow' | 'deny',
    alsoShown: string | ((page: string) => void) = '',
  ): Promise<URL> {
    const window = browser();
    const asked = await window.send(address.href);
    expect(asked.status, await asked.clone().text()).toBe(303);
    const consent = asked.headers.get('location')!;
    const signIn = (await window.send(consent)).headers.get('location')!;
    expect(signIn).toContain('/sign-in?next=');
    await window.submit('/sign-in', {
      email: user.email,
      password: user.password,
      how: 'password',
      next: new URL(signIn, origin).searchParams.get('next')!,
    });
    const page = await (await window.send(consent)).text();
    expect(page).toContain('Test assistant');
    if (typeof alsoShown === 'string') expect(page).toContain(alsoShown);
    else alsoShown(page);
    expect(page).toContain('127.0.0.1:9');
    expect(page).toMatch(/\b30 tokens/);
    const done = await (await window.submit(consent, { do: what })).text();
    const onward = /content="0;url=([^"]+)"/.exec(done)![1]!.replaceAll('&amp;', '&');
    const back = await window.send(onward);
    expect(back.status, await back.clone().text()).toBe(303);
    return new URL(back.headers.get('location')!);
  }
  return { browser, answer };
}
