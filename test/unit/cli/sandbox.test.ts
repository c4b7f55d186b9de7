import { expect, test } from 'vitest';
import { webhookHosts } from '../../../cli/up/sandbox.ts';
import { loadConfig } from '../../../shared/platform/config.ts';
import { hostsOf, postFault } from '../../../shared/platform/http/guarded-post.ts';

const hosts = (env: Record<string, string>) => hostsOf(webhookHosts(loadConfig(env)));

test("in the sandbox of `npm start`, webhooks reach this machine, and nothing else that isn't public", () => {
  for (const HOST of ['127.0.0.1', 'localhost', '::1']) {
    const allowed = hosts({ HOST });
    for (const url of [
      'http://localhost:8080/hook',
      'http://127.0.0.1:8080',
      'http://[::1]:8080',
      'https://localhost',
    ])
      expect(postFault(url, allowed), url).toBeUndefined();
    for (const url of ['http://127.0.0.2', 'https://10.0.0.1', 'http://192.168.1.1', 'http://example.com'])
      expect(postFault(url, allowed), url).toBeDefined();
  }
  expect([...hosts({ WEBHOOK_PRIVATE_HOSTS: 'box.example' })]).toContain('box.example');
});

test.each<Record<string, string>>([
  { HOST: '0.0.0.0' },
  { HOST: '10.0.0.5' },
  { BASE_URL: 'https://plat.example.org' },
  { APP_URL: 'https://plat.example.org' },
  { ALLOWED_HOSTS: 'plat.example.org' },
  { TRUSTED_PROXIES: 'loopback' },
  { DATABASE_URL: 'postgres://plat@db.example.org/plat' },
])('on a real host, they do not: %j', env => {
  expect([...hosts(env)]).toEqual([]);
  expect([...hosts({ ...env, WEBHOOK_PRIVATE_HOSTS: 'box.example' })]).toEqual(['box.example']);
});
