import { parse } from 'yaml';
import { settingNames } from '../../shared/platform/config.ts';

/** What docker-compose.yml says itself: where its servers, folders and ports are. */
const OWN = new Set<string>(['DATABASE_URL', 'REDIS_URL', 'PLAT_DIR', 'WORKER_PORT']);

/** What makes no sense there, and why. */
const LEFT_OUT: Readonly<Record<string, string>> = {
  HOST: 'the image sets it: a container is reached from outside',
  PORT: 'the image sets it; API_PORT is the port of the machine',
  QUEUE_PREFIX: 'nobody else uses the Redis of the file',
  FEEDS_DIR: './feeds is put in its place',
  WORKERS: 'of `npm start`; here --scale worker=3',
};

type Service = { environment?: Record<string, string>; volumes?: string[] };

/** docker-compose.yml must hand on every other setting to API and workers, with PLAT_DIR on a volume. */
export function checkCompose(text: string): string[] {
  const { services } = parse(text, { merge: true }) as { services: Record<string, Service> };
  return ['api', 'worker'].flatMap(service => {
    const { environment = {}, volumes = [] } = services[service] ?? {};
    const wrong = settingNames.flatMap(name => {
      const place = `docker-compose.yml, service ${service}: ${name}`;
      const handedOn = `\${${name}:-}`;
      if (OWN.has(name)) return [];
      if (name in LEFT_OUT) return name in environment ? [`${place} is set (${LEFT_OUT[name]})`] : [];
      return environment[name] === handedOn ? [] : [`${place} has to be ${handedOn}`];
    });
    const isKept = volumes.some(volume => volume.split(':')[1] === environment.PLAT_DIR);
    return isKept ? wrong : [...wrong, `docker-compose.yml, service ${service}: PLAT_DIR is on no volume`];
  });
}
