import { parse } from 'yaml';
import { settingNames } from '../../shared/platform/config.ts';

/** Settings in docker-compose.yml itself: servers, folders, and ports. */
const OWN = new Set<string>(['DATABASE_URL', 'REDIS_URL', 'PLAT_DIR', 'WORKER_PORT']);

/** Settings that don't apply to docker-compose.yml, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  HOST: 'the image sets it, because containers are reached from outside',
  PORT: 'the image sets it; API_PORT is the port on the host',
  QUEUE_PREFIX: 'no other installation uses this Redis',
  FEEDS_DIR: './feeds is mounted there',
  WORKERS: 'for `npm start` only; use --scale worker=3 here',
};

type Service = { environment?: Record<string, string>; volumes?: string[] };

/**
 * docker-compose.yml must pass every other setting to the API and the workers, and put PLAT_DIR on a volume.
 */
export function checkCompose(text: string): string[] {
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
  return ['api', 'worker'].flatMap(service => {
    const { environment = {}, volumes = [] } = services[service] ?? {};
    const wrong = settingNames.flatMap(name => {
      const place = `docker-compose.yml, service ${service}: ${name}`;
      const handedOn = `\${${name}:-}`;
      if (OWN.has(name)) return [];
      if (name in LEFT_OUT) return name in environment ? [`${place} is set (${LEFT_OUT[name]})`] : [];
      return environment[name] === handedOn ? [] : [`${place} must be ${handedOn}`];
    });
    const isKept = volumes.some(volume => volume.split(':')[1] === environment.PLAT_DIR);
    return isKept ? wrong : [...wrong, `docker-compose.yml, service ${service}: PLAT_DIR is not on a volume`];
  });
}
