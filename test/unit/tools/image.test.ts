import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { settingNames } from '../../../shared/platform/config.ts';
import { rootDir } from '../../../shared/platform/root.ts';

const read = (path: string) => readFileSync(join(rootDir, path), 'utf8');

describe('Dockerfile', () => {
  const text = read('Dockerfile').replace(/\\\n\s*/g, ' ');
  const ignored = read('.dockerignore').split('\n');

  test('copies only what exists and what .dockerignore allows', () => {
    const copies = [...text.matchAll(/^COPY (?!--from)(.*)$/gm)].map(match =>
      match[1]!.split(' ').slice(0, -1),
    );
    const paths = [...new Set(copies.flat())];
    expect(paths).toEqual(
      expect.arrayContaining(['package.json', 'bin', 'sql', 'shared', 'workers', 'cli', 'api']),
    );
    for (const path of paths) {
      expect(existsSync(join(rootDir, path)), path).toBe(true);
      expect(ignored).toContain(`!${path}`);
    }
    expect(ignored).toContain('*');
    expect(ignored.filter(line => line.startsWith('!')).sort()).toEqual(paths.map(path => `!${path}`).sort());
  });

  test('runs plat as an ordinary user, with a health check and without dev dependencies', () => {
    for (const line of [
      'USER node',
      'ENTRYPOINT ["node", "bin/plat.mjs"]',
      'RUN npm ci --omit=dev',
      '/healthz',
    ])
      expect(text).toContain(line);
  });
});

type Service = {
  image: string;
  user?: string;
  command?: string[];
  environment?: Record<string, string>;
  ports?: string[];
  healthcheck?: object;
  depends_on?: Record<string, { condition: string }>;
  read_only?: boolean;
};

describe('docker-compose.yml', () => {
  const text = read('docker-compose.yml');
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };

  test('starts PostgreSQL 18, Redis 8, the API, and the workers after one migration', () => {
    expect(services.postgres!.image).toBe('postgres:18');
    expect(services.redis!.image).toBe('redis:8');
    expect(Object.keys(services).sort()).toEqual(['api', 'migrate', 'postgres', 'redis', 'worker']);
    for (const name of ['api', 'worker']) {
      expect(services[name]!.depends_on).toEqual({
        migrate: { condition: 'service_completed_successfully' },
        redis: { condition: 'service_healthy' },
      });
      expect(services[name]!.read_only).toBe(true);
    }
    expect(services.migrate!.depends_on).toEqual({ postgres: { condition: 'service_healthy' } });
    expect(services.postgres!.healthcheck).toBeDefined();
    expect(services.redis!.healthcheck).toBeDefined();
  });

  test("has no password of its own and opens only the API's port", () => {
    const passwords = [...text.matchAll(/\$\{([A-Z_]*PASSWORD)([^}]*)\}/g)].filter(
      ([, name]) => name !== 'ADMIN_PASSWORD',
    );
    expect(passwords.length).toBeGreaterThan(4);
    for (const [whole, , rest] of passwords) expect(rest, whole).toMatch(/^:\?/);
    expect(
      Object.entries(services)
        .filter(([, service]) => service.ports)
        .map(([name]) => name),
    ).toEqual(['api']);
  });

  test('sets only settings that the program has', () => {
    for (const name of ['migrate', 'api', 'worker']) {
      for (const setting of Object.keys(services[name]!.environment!))
        expect(settingNames).toContain(setting);
    }
  });

  const compose = spawnSync('docker', ['compose', 'version']).status === 0;
  test.skipIf(!compose)('docker compose accepts it, and refuses to start without passwords', () => {
    const config = (env: Record<string, string>) =>
      spawnSync(
        'docker',
        [
          'compose',
          '-f',
          join(rootDir, 'docker-compose.yml'),
          '--env-file',
          '/dev/null',
          'config',
          '--quiet',
        ],
        {
          encoding: 'utf8',
          env: { PATH: process.env.PATH, HOME: process.env.HOME, ...env },
        },
      );
    expect(config({ POSTGRES_PASSWORD: 'a', REDIS_PASSWORD: 'b' })).toMatchObject({ status: 0 });
    expect(config({ REDIS_PASSWORD: 'b' }).stderr).toContain('Set POSTGRES_PASSWORD');
  });
});
