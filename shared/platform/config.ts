import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { isAbsolute, join } from 'node:path';
import { parseEnv } from 'node:util';
import { z } from 'zod';
import { PlatError } from './errors.ts';
import { rootDir } from './root.ts';

const flag = z.enum(['0', '1', 'true', 'false']).transform(value => value === '1' || value === 'true');
const path = z
  .string()
  .min(1)
  .transform(value => (isAbsolute(value) ? value : join(rootDir, value)));
const url = z
  .string()
  .regex(/^https?:\/\//, 'must start with http:// or https://')
  .refine(value => URL.canParse(value), 'must be a URL such as https://plat.example.org')
  .transform(value => value.replace(/\/+$/, ''));

/** A URL with placeholders in braces, which Plat fills in for each county. */
const mirror = z.string().regex(/^https?:\/\/\S+$/, 'must be an http(s) URL');

/** Whether Express accepts this as a proxy: https://expressjs.com/en/guide/behind-proxies.html */
function isProxy(entry: string): boolean {
  if (['loopback', 'linklocal', 'uniquelocal'].includes(entry)) return true;
  const [address = '', range, ...more] = entry.split('/');
  const family = isIP(address);
  if (family === 0 || more.length > 0) return false;
  if (range === undefined || (family === 4 && isIP(range) === 4)) return true;
  return /^\d{1,3}$/.test(range) && Number(range) >= 1 && Number(range) <= (family === 4 ? 32 : 128);
}

const commaList = (fits: (entry: string) => boolean, message: string) =>
  z.string().refine(value => value.split(',').every(entry => fits(entry.trim())), message);
const proxies = commaList(
  entry => entry === '' || isProxy(entry),
  'must be IP addresses, CIDR ranges, loopback, linklocal, or uniquelocal, separated by commas',
);
const origins = commaList(
  entry => /^(\*|https?:\/\/[^/*\s]+)$/.test(entry),
  'must be origins such as https://app.example.org, separated by commas, or *',
);
const hosts = commaList(
  entry => /^[\w.-]*$/.test(entry) || isIP(entry) === 6,
  'must be names or addresses such as plat.example.org, without http:// and port, separated by commas',
);

/** Every setting of every process, documented in the same order in `.env.example`. */
const schema = z.object({
  DATABASE_URL: z
    .string()
    .regex(/^postgres(ql)?:\/\//, 'must be a postgres:// URL')
    .optional(),
  REDIS_URL: z
    .string()
    .regex(/^rediss?:\/\//, 'must be a redis:// URL')
    .optional(),
  QUEUE_PREFIX: z
    .string()
    .regex(/^[a-z0-9_-]{1,40}$/, 'can contain a-z, 0-9, _, and - (up to 40 characters)')
    .default('plat'),
  HOST: z.string().default('127.0.0.1'),
  PORT: z.coerce.number().int().min(0).max(65_535).default(3000),
  WORKER_PORT: z.coerce.number().int().min(0).max(65_535).optional(),
  BASE_URL: url.optional(),
  APP_URL: url.optional(),
  ALLOWED_HOSTS: hosts.default(''),
  BASEMAP_URL: z
    .string()
    .regex(/^https:\/\/[^\s{}]+\{z\}\S*$/, 'must be an https:// URL with {z}, {x}, and {y}')
    .optional(),
  BASEMAP_ATTRIBUTION: z.string().optional(),
  SMTP_URL: z
    .string()
    .regex(/^smtps?:\/\//, 'must start with smtp:// or smtps://')
    .optional(),
  MAIL_FROM: z.string().default('Plat <plat@localhost>'),
  LISTING_PROVIDER: path.optional(),
  TRUSTED_PROXIES: proxies.default(''),
  CORS_ORIGINS: origins.default('*'),
  CURSOR_SECRET: z.string().min(32, 'must have 32 characters or more').optional(),
  ADMIN_PASSWORD: z.string().min(12, 'must have 12 characters or more').optional(),
  METRICS_TOKEN: z.string().min(12, 'must have 12 characters or more').optional(),
  WEBHOOK_PRIVATE_HOSTS: hosts.default(''),
  SKIP_TRACE_PROVIDER: z.enum(['batchdata', 'http']).optional(),
  BATCHDATA_API_KEY: z.string().optional(),
  BATCHDATA_URL: url.default('https://api.batchdata.com'),
  SKIP_TRACE_PROVIDER_FILE: path.optional(),
  SKIP_TRACE_PROVIDER_CENTS: z.coerce.number().min(0).max(10_000).optional(),
  SKIP_TRACE_KEEP_DAYS: z.coerce.number().int().min(0).max(365).default(30),
  TRACE_AUDIT_YEARS: z.coerce.number().min(0.1).max(100).default(5),
  FEEDS_DIR: path.default(join(rootDir, 'feeds')),
  SAMPLE_FEEDS: flag.default(true),
  USGS_IMAGERY: flag.default(false),
  CATALOGUE_FILE: path.optional(),
  SALES_FILE: path.optional(),
  ROADS_URL: mirror.default('https://www2.census.gov/geo/tiger/TIGER{year}/ROADS/tl_{year}_{fips}_roads.zip'),
  WETLANDS_URL: mirror.default(
    'https://documentst.ecosphere.fws.gov/wetlands/data/State-Downloads/{state}_shapefile_wetlands.zip',
  ),
  FLOOD_URL: mirror.default('https://hazards.fema.gov/arcgis/rest/services/public/NFHL/MapServer/28'),
  ELEVATION_URL: mirror.default(
    'https://prd-tnm.s3.amazonaws.com/StagedProducts/Elevation/13/TIFF/current/{tile}/USGS_13_{tile}.tif',
  ),
  WATER_URL: mirror.default(
    'https://www2.census.gov/geo/tiger/TIGER{year}/AREAWATER/tl_{year}_{fips}_areawater.zip',
  ),
  PLACES_URL: mirror.default(
    'https://prd-tnm.s3.amazonaws.com/StagedProducts/GeographicNames/DomesticNames/DomesticNames_{state}_Text.zip',
  ),
  SOIL_AREAS_URL: mirror.default('https://sdmdataaccess.nrcs.usda.gov/Tabular/post.rest'),
  SOILS_URL: mirror.default(
    'https://websoilsurvey.nrcs.usda.gov/DSD/Download/Cache/SSA/wss_SSA_{area}_[{date}].zip',
  ),
  PROTECTED_LAND_URL: mirror.default(
    'https://services.arcgis.com/v01gqwM5QqNysAAi/arcgis/rest/services/PADUS_Protection_Status_by_GAP_Status_Code/FeatureServer/0',
  ),
  OPPORTUNITY_ZONES_URL: mirror.default(
    'https://services.arcgis.com/VTyQ9soqVukalItT/arcgis/rest/services/Opportunity_Zones/FeatureServer/13',
  ),
  TRANSMISSION_LINES_URL: mirror.default(
    'https://services2.arcgis.com/FiaPA4ga0iQKduv3/arcgis/rest/services/US_Electric_Power_Transmission_Lines/FeatureServer/0',
  ),
  RAILROADS_URL: mirror.default('https://www2.census.gov/geo/tiger/TIGER{year}/RAILS/tl_{year}_us_rails.zip'),
  URBAN_AREAS_URL: mirror.default(
    'https://www2.census.gov/geo/tiger/TIGER{year}/UAC20/tl_{year}_us_uac20.zip',
  ),
  PLAT_DIR: path.default(join(rootDir, '.plat')),
  UPLOAD_MAX_MB: z.coerce.number().min(1).max(10_000).default(256),
  UPLOAD_TIMEOUT_MS: z.coerce.number().int().min(100).max(43_200_000).default(3_600_000),
  IMAGE_CACHE_MB: z.coerce.number().min(1).max(1_000_000).default(512),
  IMAGE_URL_MINUTES: z.coerce.number().min(1).max(1_440).default(15),
  WORKERS: z.coerce.number().int().min(1).max(64).default(1),
  WORKER_CONCURRENCY: z.coerce.number().int().min(1).max(32).default(2),
  JOB_LOCK_MS: z.coerce.number().int().min(5_000).max(3_600_000).default(60_000),
  DATABASE_WAIT_MS: z.coerce.number().int().min(100).max(86_400_000).default(300_000),
  DB_POOL_SIZE: z.coerce.number().int().min(2).max(200).default(10),
  STATEMENT_TIMEOUT_MS: z.coerce.number().int().min(100).max(600_000).default(10_000),
  REQUEST_TIMEOUT_MS: z.coerce.number().int().min(100).max(600_000).default(30_000),
  SHUTDOWN_TIMEOUT_MS: z.coerce.number().int().min(100).max(600_000).default(10_000),
  SHUTDOWN_DELAY_MS: z.coerce.number().int().min(0).max(600_000).default(0),
  LOG_LEVEL: z.enum(['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent']).default('info'),
  LOG_REQUESTS: flag.default(false),
});

export type Config = z.infer<typeof schema>;

export const settingNames = Object.keys(schema.shape) as (keyof Config)[];

/** The variables in the checkout's `.env`, if it exists. The process environment overrides them. */
function dotEnv(): Record<string, string | undefined> {
  try {
    return parseEnv(readFileSync(join(rootDir, '.env'), 'utf8'));
  } catch {
    return {};
  }
}

/** Empty variables count as unset. @throws PlatError `config`, which names every invalid variable */
export function loadConfig(
  env: Record<string, string | undefined> = { ...dotEnv(), ...process.env },
): Config {
  const set = Object.fromEntries(
    Object.entries(env).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(set);
  if (parsed.success) return parsed.data;
  const lines = parsed.error.issues.map(issue => `${issue.path.join('.')}: ${issue.message}`);
  throw new PlatError('config', `Invalid settings: ${lines.join('; ')}. See .env.example.`);
}

export function requireDatabaseUrl(config: Config): string {
  if (config.DATABASE_URL === undefined) {
    throw new PlatError(
      'config',
      'DATABASE_URL is not set. Run `npm start`, which includes PostgreSQL, or set it to your own server.',
    );
  }
  return config.DATABASE_URL;
}
