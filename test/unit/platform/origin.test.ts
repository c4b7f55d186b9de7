import { describe, expect, test } from 'vitest';
import { loadConfig } from '../../../shared/platform/config.ts';
import {
  appUrlOf,
  isLoopback,
  localUrl,
  missingSettings,
  openOrigins,
} from '../../../shared/platform/origin.ts';

const PORT = 3000;
const open = (env: Record<string, string>) => openOrigins(loadConfig(env), { port: PORT });
const from = (host: string | undefined, protocol = 'http') => ({ host, protocol });

/** Where a stranger, or a name that was pointed at the service, would lead it. */
const STRANGERS = [
  'evil.example',
  'evil.example:3000',
  '10.0.0.1',
  '[2001:db8::1]',
  '128.0.0.1',
  '0.0.0.0:3000',
  'localhost.evil.example',
  '127.0.0.1.evil.example',
  'evil-localhost',
  '%6cocalhost',
  '[::2]:3000',
];
const LOCAL = [
  'localhost',
  'localhost:3000',
  'LocalHost:1',
  'localhost.',
  'localhost.:3000',
  '127.0.0.1',
  '127.9.9.9:80',
  '[::1]',
  '[::1]:3000',
  '[0:0:0:0:0:0:0:1]',
];

describe('on loopback, without settings', () => {
  const origins = open({});

  test.each(STRANGERS)('%s is unknown', host => expect(origins.answersTo(host)).toBe(false));
  test.each(LOCAL)('%s is accepted', host => expect(origins.answersTo(host)).toBe(true));

  test('links into the app lead to the address itself', () => {
    expect(origins.appUrl()).toBe('http://127.0.0.1:3000');
    expect(open({ HOST: 'localhost' }).appUrl()).toBe('http://localhost:3000');
  });

  test('links into the API lead where the request came from', () => {
    expect(origins.apiUrl(from('localhost:8080'))).toBe('http://localhost:8080');
    expect(origins.apiUrl(from(undefined))).toBe('http://127.0.0.1:3000');
  });

  test('links on port 80 have no port', () => {
    const plain = openOrigins(loadConfig({}), { port: 80 });
    expect(plain.appUrl()).toBe('http://127.0.0.1');
  });
});

describe('with BASE_URL and APP_URL', () => {
  const origins = open({
    HOST: '0.0.0.0',
    BASE_URL: 'https://API.example.org/plat/',
    APP_URL: 'https://app.example.org:8443',
    ALLOWED_HOSTS: 'Other.example, 10.0.0.7,2001:db8::7',
  });

  test.each([
    'api.example.org',
    'API.EXAMPLE.ORG.:443',
    'app.example.org',
    'app.example.org:1',
    'other.example:9',
    '10.0.0.7:3000',
    '[2001:db8::7]:3000',
    ...LOCAL,
  ])('%s is answered', host => expect(origins.answersTo(host)).toBe(true));
  test.each([...STRANGERS, 'example.org', 'www.app.example.org'])('%s is a stranger', host =>
    expect(origins.answersTo(host)).toBe(false),
  );

  test('every link starts with them, wherever the request came from', () => {
    for (const host of ['localhost:3000', 'other.example', 'evil.example', undefined]) {
      expect(origins.apiUrl(from(host))).toBe('https://API.example.org/plat');
      expect(origins.appUrl()).toBe('https://app.example.org:8443');
    }
  });

  test("forms come from their pages, or from the browser's address", () => {
    const isOwn = (origin: string) => origins.isOwnOrigin(origin, from('other.example', 'https'));
    for (const origin of ['https://api.example.org', 'https://app.example.org:8443', 'https://other.example'])
      expect(isOwn(origin)).toBe(true);
    for (const origin of [
      'http://api.example.org',
      'https://app.example.org',
      'https://evil.example',
      'null',
      '',
    ])
      expect(isOwn(origin)).toBe(false);
  });
});

test('APP_URL alone locates the app, and the API is where the request came from', () => {
  const origins = open({ HOST: '0.0.0.0', APP_URL: 'https://app.example.org' });
  expect(origins.appUrl()).toBe('https://app.example.org');
  expect(origins.apiUrl(from('app.example.org:3000', 'https'))).toBe('https://app.example.org:3000');
  expect(origins.answersTo('evil.example')).toBe(false);
});

test('on another address without settings, any host is accepted and every link is relative', () => {
  const origins = open({ HOST: '0.0.0.0' });
  for (const host of [...STRANGERS, ...LOCAL, undefined]) {
    expect(origins.answersTo(host ?? '')).toBe(true);
    expect([origins.apiUrl(from(host)), origins.appUrl()]).toEqual(['', '']);
  }
});

test("with ALLOWED_HOSTS alone, links into the API lead to those, and the app's address is unknown", () => {
  const origins = open({ HOST: '10.0.0.7', ALLOWED_HOSTS: 'plat.example' });
  expect([origins.answersTo('plat.example:3000'), origins.answersTo('10.0.0.7')]).toEqual([true, false]);
  expect(origins.apiUrl(from('plat.example:3000'))).toBe('http://plat.example:3000');
  expect([origins.apiUrl(from(undefined)), origins.appUrl()]).toEqual(['', '']);
});

test.each([
  [{}, false],
  [{ BASE_URL: 'https://api.example.org' }, true],
  [{ APP_URL: 'https://app.example.org', BASE_URL: 'http://api.example.org' }, true],
  [{ APP_URL: 'http://app.example.org' }, false],
])('cookies of %j are for https alone: %s', (env, secure) => {
  expect(open(env).isSecure(from('localhost'))).toBe(secure);
  expect(open(env).isSecure(from('localhost', 'https'))).toBe(true);
});

test.each(['127.0.0.1', '127.8.8.8', '::1', '[::1]', 'localhost', '::ffff:127.0.0.1'])(
  '%s is loopback',
  host => expect(isLoopback(host)).toBe(true),
);
test.each(['0.0.0.0', '::', '10.0.0.1', 'plat.example', '', '::ffff:10.0.0.1'])('"%s" is not', host =>
  expect(isLoopback(host)).toBe(false),
);

test('links without a request use the settings, or this machine if the service is on it', () => {
  const app = (env: Record<string, string>) => appUrlOf(loadConfig(env), PORT);
  expect(app({ HOST: '::1' })).toBe('http://[::1]:3000');
  expect(app({ HOST: '0.0.0.0' })).toBe('');
  expect(app({ HOST: '0.0.0.0', BASE_URL: 'https://b.example' })).toBe('https://b.example');
  expect([localUrl('0.0.0.0', 1), localUrl('::', 1)]).toEqual(['http://127.0.0.1:1', 'http://[::1]:1']);
});

test('the startup log says what is off because of a missing setting', () => {
  const missing = (env: Record<string, string>) => missingSettings(loadConfig(env)).join('\n');
  expect(missing({})).toBe('');
  expect(missing({ HOST: '0.0.0.0' })).toMatch(/BASE_URL[\s\S]*METRICS_TOKEN/);
  const withHosts = missing({ HOST: '0.0.0.0', ALLOWED_HOSTS: 'plat.example' });
  expect(withHosts).toContain('BASE_URL');
  expect(withHosts).not.toBe(missing({ HOST: '0.0.0.0' }));
  const set = { HOST: '0.0.0.0', APP_URL: 'https://a.example', METRICS_TOKEN: 'a-metrics-token' };
  expect(missing(set)).toBe('');
});

test.each(['http://plat.example', 'plat.example:3000', 'plat.example/x', '*', '[::1]', 'a b'])(
  'ALLOWED_HOSTS does not take %s',
  value => expect(() => loadConfig({ ALLOWED_HOSTS: value })).toThrow('ALLOWED_HOSTS: '),
);
test('BASE_URL has to be a URL', () =>
  expect(() => loadConfig({ BASE_URL: 'https://' })).toThrow('BASE_URL'));
