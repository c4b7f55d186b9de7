import { z } from 'zod';
import type { Mode } from '../../shared/accounts/tiers.ts';
import type { ShapeWork } from '../../shared/geo/shape-work.ts';
import { type Price, priceText } from '../../shared/model/prices.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { Account } from './callers.ts';
import type { ExtraLimit } from './rate-limits.ts';

/** An address of the service's own, made of `CallContext`'s. */
export const link = z.string().meta({ format: 'uri-reference' });

export type Answer = {
  /** Bytes are sent as they are, anything else as JSON; null for 204, which has none. */
  body: Buffer | object | null;
  /** The JPEG that the body tells of, for those who are shown it at once. */
  image?: Buffer;
  /** Quoted, as stored. */
  etag?: string;
  /** Another status than the endpoint's, one of `response.also`. */
  status?: number;
  /** What the answer costs; 0 when it is empty. */
  tokens: number;
  /** Kept for repeats in place of `body`: the same without secrets that are shown only once. */
  keptBody?: object;
  /** Whom the answer is about, as the suppression list knows them; kept with it for `recheck`. */
  people?: readonly Buffer[];
  meteringKey?: string;
  /**
   * Statements that run before the charge, in its transaction. Returns false if the price has changed since
   * the call was answered. The call is then answered again.
   */
  alongside?(tx: Db): Promise<boolean>;
};

/** An answer that was kept for repeats. `people`: null where none were kept with it. */
export type KeptAnswer = { body: unknown; people: readonly Buffer[] | null };

/** An attempt at a call with an Idempotency-Key, for a handler that makes something: make-once.ts. */
export type MakingAttempt = {
  /** What an earlier attempt has made, before it died or its client left. */
  made?: unknown;
  /** Notes what this one makes, in that transaction. @throws PlatError 503 when another has taken over */
  noteMade(tx: Db, made: unknown): Promise<void>;
};

export type CallContext = {
  account: Account;
  mode: Mode;
  /** The API key's id; absent for who calls without one. */
  keyId?: string | undefined;
  /** The person who has signed in to the web app; absent for a key, whose account tells. */
  user?: { id: string };
  /** Path and query of the call; its origin means nothing. */
  url: URL;
  /** What stands before it in addresses that are given out; empty where they are relative. */
  apiUrl: string;
  /** Where the web app is, without a slash at its end; empty where links are relative. */
  appUrl: string;
  /** The moment that months, years and windows are counted from. */
  now: Date;
  work: ShapeWork;
  /** By which a repeat of the call is known, also of a page's form. */
  idempotencyKey?: string | undefined;
  /** Its answer is kept behind the handler's transaction: what may not be made twice is noted in that one. */
  attempt?: MakingAttempt | undefined;
};

/** The groups of endpoints in the documentation, in its order. */
export const TAGS = {
  Search: 'Find parcels, places, and owners in all counties with one search text.',
  Parcels: 'Parcels by filter, parcel number, owner, or id, with their records, pictures, and values.',
  'Skip trace': 'Phone numbers of owners.',
  'Market statistics': 'Statistics of counties and ZIP codes by lot size.',
  Comps: 'Listings and sales of land.',
  Changes: 'What changed, in order, to keep a copy up to date.',
  'Saved searches': 'Filters that Plat follows: what is added, removed, and changed.',
  Webhooks: 'URLs that Plat calls when data changes.',
  Lists: 'Sets of parcels for a mailing, with offers and status.',
  'Comp reports': 'Reports in the web app that value a parcel with comps that you choose.',
  Exports: 'Files of parcels, comps, or statistics, created in the background and downloaded in parts.',
  Regions: 'Counties and ZIP codes by name.',
  'Saved markets': 'Regions that your company has pinned.',
  'Deal flow': 'Your board of land to sell.',
  Usage: 'Tokens that the account has used.',
  Coverage: 'The counties with data, and how recent it is.',
} as const;

/**
 * An endpoint of v1, declared as data: router, checks, metering and the OpenAPI document are all made from
 * it. `Resources` are what its handler may use.
 */
export type Endpoint<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Resources extends object = object,
> = {
  method: 'get' | 'post' | 'patch' | 'delete';
  /** The documented form, with `{name}` parameters and the trailing slash. */
  path: string;
  /** In OpenAPI, and the name of the tool that assistants get: snake_case, a verb first. */
  operationId: string;
  tag: keyof typeof TAGS;
  summary: string;
  description: string;
  params: Params;
  query: Query;
  /** Absent: the request has no body. */
  body?: Body;
  /** null for a free endpoint. */
  metering: Metering<Params, Query, Body, Resources> | null;
  /** A limit shared by the calls of all endpoints that name it, in addition to the account's own. */
  rate?: ExtraLimit;
  /** A POST that changes nothing: its body only says what to read. A GET never changes anything. */
  reads?: true;
  withoutContract?: boolean;
  response: {
    status: 200 | 201 | 202 | 204;
    description: string;
    /** Further statuses with the same body, and when. */
    also?: Record<number, string>;
    /** Absent for 204. */
    schema?: z.ZodType;
    /** Of a 201: where what was made is. */
    location?(body: Record<string, unknown>): string;
    /** Whether clients may ask for it again by what they have of it. */
    etag?: boolean;
    example?: Example;
    /** Several of them by their names, in place of one. */
    examples?: Record<string, Example>;
  };
  errors: Partial<Record<'not_found' | 'gone' | 'conflict' | 'unprocessable', string>>;
  handle(input: Input<Params, Query, Body>, resources: Resources, call: CallContext): Promise<Answer>;
  /** What a repeat still returns of the answer that was kept for it; all of it where this is absent. */
  recheck?(kept: KeptAnswer, resources: Resources): Promise<object>;
};

/** Whether a call changes nothing and asks nobody outside, which traces of people do. */
export const isReadOnly = ({ method, reads, rate }: Pick<Endpoint, 'method' | 'reads' | 'rate'>): boolean =>
  rate !== 'skip_trace' && (method === 'get' || reads === true);

/** What calls cost. A GET or POST that has it takes `?quote=true` (quote.ts). */
export type Metering<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Resources extends object = object,
> = {
  /** By which usage is counted. */
  key: string;
  price: Price | readonly Price[];
  /** When it costs less or nothing, or another price applies; it follows the price in texts. */
  note: string;
  /** An answer with something in it may be free: tokens are required for the charge alone. */
  mayBeFree?: true;
  /**
   * The tokens that an account must have left for the call to be tried; 1 unless said. More when a refusal
   * of the charge would reveal how much was found.
   */
  needs?(input: Input<Params, Query, Body>): number;
  /** No answer costs more. Default: the price. */
  atMost?: (input: Input<Params, Query, Body>) => number;
  /**
   * The `Quote` of a call whose price can be known beforehand, without a look-up of what is paid for; its
   * tokens are those of the quote itself.
   */
  quote?(input: Input<Params, Query, Body>, resources: Resources, call: CallContext): Promise<Answer>;
};

export const priceSentence = (metering: Pick<Metering, 'price' | 'note'> | null): string =>
  metering === null ? 'free' : `${priceText(metering.price)}; ${metering.note}`;

type Example = { summary: string; value: unknown };

export type Input<Params extends z.ZodType, Query extends z.ZodType, Body extends z.ZodType> = {
  params: z.output<Params>;
  query: z.output<Query>;
  body: z.output<Body>;
};
