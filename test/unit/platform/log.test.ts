import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { rootDir } from '../../../shared/platform/root.ts';

test('no secret reaches the log: keys, connection strings, or refused Redis commands', () => {
  const script = `
    import { createLogger } from './shared/platform/log.ts';
    const log = createLogger({ LOG_LEVEL: 'info' }, 'test');
    const refused = Object.assign(new Error('WRONGPASS'), { command: { name: 'hello', args: ['3', 'AUTH', 'default', 'secret-1'] } });
    const lost = Object.assign(new Error('connection lost'), { client: { secretKey: 'secret-7', connectionParameters: { password: 'secret-8' } } });
    log.warn({ err: refused }, 'redis connection');
    log.warn({ err: lost }, 'database connection');
    log.info({ req: { headers: { authorization: 'Bearer secret-2', cookie: 'secret-3' } } });
    log.info({ db: { connectionString: 'postgres://plat:secret-4@db', password: 'secret-5' }, feed: { token: 'secret-6' } });
  `;
  const { stderr, status } = spawnSync(
    process.execPath,
    ['--import', 'tsx', '--input-type=module', '-e', script],
    { cwd: join(rootDir), encoding: 'utf8' },
  );
  expect(status).toBe(0);
  expect(stderr).toContain('WRONGPASS');
  expect(stderr.trim().split('\n')).toHaveLength(4);
  expect(stderr).not.toMatch(/secret-\d/);
});
