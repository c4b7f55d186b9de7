import fc, { type Arbitrary } from 'fast-check';
import { pages } from '../../api/pages/index.ts';
import type { Answer, Shot } from './shot.ts';
import { encoded, hostileInUrl, hostileText, type Known, oddName } from './values.ts';

/** A form on a page, with the values it would submit and the options in its selects. */
export type Form = {
  as: Shot['as'];
  action: string;
  method: string;
  fields: [name: string, values: string[]][];
};

export type Site = { forms: Form[]; links: string[] };

const unescaped = (text: string) =>
  text.replaceAll('&quot;', '"').replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
const attribute = (tag: string, name: string): string | undefined => {
  const found = new RegExp(`\\s${name}(?:="([^"]*)")?(?=[\\s/>])`).exec(tag);
  return found === null ? undefined : unescaped(found[1] ?? '');
};

function formsOf(as: Shot['as'], page: string, html: string): Form[] {
  return [...html.matchAll(/<form\b[^>]*>([\s\S]*?)<\/form>/g)].map(([whole, inner]) => {
    const fields: Form['fields'] = [];
    for (const [tag, kind] of inner!.matchAll(/<(input|textarea|button|select)\b[^>]*>/g)) {
      const name = attribute(tag, 'name');
      if (name === undefined || kind === 'select') continue;
      fields.push([name, [attribute(tag, 'value') ?? '']]);
    }
    for (const [tag, , options] of inner!.matchAll(/(<select\b[^>]*>)([\s\S]*?)<\/select>/g)) {
      const values = [...options!.matchAll(/<option\b[^>]*>/g)].map(
        ([option]) => attribute(option, 'value') ?? '',
      );
      fields.push([attribute(tag, 'name') ?? '', values.length > 0 ? values : ['']]);
    }
    const opening = whole.slice(0, whole.indexOf('>') + 1);
    const action = attribute(opening, 'action')?.split('#')[0] || page;
    return {
      as,
      action,
      method: (attribute(opening, 'method') ?? 'get').toUpperCase(),
      fields,
    };
  });
}

/** Replaces ids, numbers and query values, so that links to similar pages become equal. */
const kindOf = (link: string) =>
  link.replaceAll(/=[^&]*/g, '').replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}|[A-Za-z0-9_-]{43}|\d+/g, '*');

/** Buttons on a page send the same fields. The value of `do` distinguishes them. */
const nameOf = ([name, values]: Form['fields'][number]) => (name === 'do' ? `do=${values}` : name);

/**
 * The forms and links of the web app that can be reached from these pages.
 * @param most maximum number of pages to open per path, with different query parameters
 */
export async function crawl(
  as: Shot['as'],
  from: string[],
  open: (shot: Shot) => Promise<Answer>,
  most: number,
): Promise<Site> {
  const kinds = new Set<string>();
  const opened = new Map<string, number>();
  const waiting = [...from];
  const links: string[] = [];
  const forms = new Map<string, Form>();
  while (waiting.length > 0) {
    const path = waiting.shift()!;
    if (kinds.has(kindOf(path))) continue;
    kinds.add(kindOf(path));
    const address = kindOf(path.split('?')[0]!);
    const before = opened.get(address) ?? 0;
    if (before >= most) continue;
    opened.set(address, before + 1);
    const { headers, text } = await open({ route: 'crawl', as, method: 'GET', target: path });
    links.push(path);
    if (!headers.get('content-type')?.startsWith('text/html')) continue;
    for (const form of formsOf(as, path, text))
      forms.set(`${form.method} ${kindOf(form.action)} ${form.fields.map(nameOf)}`, form);
    for (const [, href] of text.matchAll(/\shref="(\/(?!\/|assets\/)[^"#]*)/g))
      waiting.push(unescaped(href!));
  }
  return { forms: [...forms.values()], links };
}

/**
 * Requests to the pages of the web app, and form submissions as browsers and other clients would send them.
 */
export function pageShots({ forms, links }: Site, known: Known): Arbitrary<Shot> {
  const value = (name: string, own: readonly string[]) => {
    const values = known.get(name);
    return fc.oneof(
      { weight: 6, arbitrary: fc.constantFrom(...own) },
      {
        weight: 2,
        arbitrary: values === undefined ? hostileText : fc.nat().map(n => values[n % values.length]!),
      },
      { weight: 2, arbitrary: hostileText },
    );
  };
  const submitted = fc.constantFrom(...forms).chain(({ as, action, method, fields }) =>
    fc
      .tuple(
        fc.tuple(
          ...fields.map(([name, own]) => value(name, own).map((one): [string, string] => [name, one])),
        ),
        fc.oneof(
          { weight: 4, arbitrary: fc.constant([]) },
          fc.array(fc.tuple(oddName, hostileText), { maxLength: 2 }),
        ),
        fc.nat(),
      )
      .map(([pairs, more, n]): Shot => {
        // Drops a field now and then. A browser would send only one of a form's buttons.
        const sent = pairs.filter((_, i) => n % 7 !== 0 || i !== n % pairs.length);
        const text = [...sent, ...more].map(([name, one]) => `${encoded(name)}=${encoded(one)}`).join('&');
        const route = `${method} ${kindOf(action)} (form)`;
        if (method === 'GET') return { route, as, method, target: `${action.split('?')[0]}?${text}` };
        return {
          route,
          as,
          method,
          target: action,
          body: text,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
        };
      }),
  );

  const names = [
    ...new Set(links.flatMap(link => [...new URLSearchParams(link.split('?')[1])].map(([name]) => name))),
  ];
  const named = fc.oneof({ weight: 9, arbitrary: fc.constantFrom(...names, 'q') }, oddName).chain(name => {
    const values = known.get(name);
    const right = fc.nat().map(n => encoded(values?.[n % values.length] ?? '1'));
    return fc.oneof(right, hostileInUrl).map(one => `${encoded(name)}=${one}`);
  });
  const query = fc.array(named, { maxLength: 2 }).map(pairs => pairs.join('&'));
  const visited = fc.tuple(fc.constantFrom(...links), query).map(([link, more]): Shot => {
    const target = more === '' ? link : `${link}${link.includes('?') ? '&' : '?'}${more}`;
    return { route: `GET ${kindOf(link.split('?')[0]!)}`, as: 'session', method: 'GET', target };
  });

  const routed = fc.constantFrom(...pages).chain(page => {
    const parts = page.path.split('/').map(part => {
      if (!part.startsWith(':')) return fc.constant(part);
      const values = known.get(part.slice(1)) ?? ['1', '33019'];
      return fc.oneof(
        { weight: 2, arbitrary: fc.nat().map(n => encoded(values[n % values.length]!)) },
        hostileInUrl,
      );
    });
    return fc
      .tuple(fc.tuple(...parts), query, fc.boolean(), hostileText)
      .map(([path, more, posts, text]): Shot => {
        const method = posts ? 'POST' : 'GET';
        return {
          route: `${method} ${page.path}`,
          as: 'session',
          method,
          target: `${path.join('/')}?${more}`,
          headers: { 'Content-Type': 'application/x-www-form-urlencoded' },
          body: posts ? text : undefined,
        };
      });
  });

  return fc
    .tuple(
      fc.oneof(
        { weight: 5, arbitrary: submitted },
        { weight: 2, arbitrary: visited },
        { weight: 3, arbitrary: routed },
      ),
      fc.nat(),
    )
    .map(([shot, n]) => ({
      ...shot,
      as: n % 6 === 0 ? 'nobody' : shot.as,
      headers: { ...shot.headers, ...(n % 23 === 0 && { Origin: 'https://evil.example' }) },
    }));
}
