import { z } from 'zod';
import type { Mode } from '../../shared/accounts/tiers.ts';
import type { ShapeWork } from '../../shared/geo/shape-work.ts';
import { type Price, priceText } from '../../shared/model/prices.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { Account } from './callers.ts';
import type { ExtraLimit } from './rate-limits.ts';

/** A URL of this service, built from the addresses in `CallContext`. */
export const link = z.string().meta({ format: 'uri-reference' });

export type Answer = {
  /** Bytes are sent unchanged, anything else as JSON. null for 204, which has no body. */
  body: Buffer | object | null;
  /** The JPEG that the body links to, for callers that show it right away. */
  image?: Buffer;
  /** The ETag including its quotes, as stored. */
  etag?: string;
  /** How long clients can use a response with an ETag before they check for a newer one, in seconds. */
  maxAge?: number;
  /** Media type of the body. Default: JSON. */
  type?: string;
  /** More headers, as names and values. */
  headers?: readonly string[];
  /** Overrides the endpoint's status. Must be in `response.also`. */
  status?: number;
  /** The price of the response. 0 when it is empty. */
  tokens: number;
  /** Stored for repeats instead of `body`, without secrets that are shown only once. */
  keptBody?: object;
  /** Suppression-list hashes of the people in the response, stored with it for `recheck`. */
  people?: readonly Buffer[];
  meteringKey?: string;
  /**
   * Statements that run before the charge, in its transaction. Returns false if the price has changed in the
   * meantime. The call then runs again.
   */
  alongside?(tx: Db): Promise<boolean>;
};

/** A response stored for repeats. `people` is null if none were stored with it. */
export type KeptAnswer = { body: unknown; people: readonly Buffer[] | null };

/** An attempt at a call with an Idempotency-Key, for a handler that creates something (make-once.ts). */
export type MakingAttempt = {
  /** What an earlier attempt created before it died or its client disconnected. */
  made?: unknown;
  /**
   * Records what this attempt creates, in the same transaction. @throws PlatError 503 if another took over
   */
  noteMade(tx: Db, made: unknown): Promise<void>;
};

export type CallContext = {
  account: Account;
  mode: Mode;
  /** The API key's id. Absent for calls without a key. */
  keyId?: string | undefined;
  /** The user who is signed in to the web app. Absent for calls with a key. */
  user?: { id: string };
  /** Path and query of the call. Ignore its origin. */
  url: URL;
  /** Prefix of URLs in responses. Empty if they are relative. */
  apiUrl: string;
  /** Base URL of the web app, without a trailing slash. Empty if links are relative. */
  appUrl: string;
  /** Months, years, and windows are counted back from this time. */
  now: Date;
  work: ShapeWork;
  /** Identifies repeats of the call, including those from a page's form. */
  idempotencyKey?: string | undefined;
  /**
   * The response is stored only after the handler's transaction, so the transaction itself records what it
   * created.
   */
  attempt?: MakingAttempt | undefined;
};

/** Endpoint groups in the documentation, in order. */
export const TAGS = {
  Search: 'Search for parcels, places, and owners in all counties at once.',
  Parcels:
    'Find parcels by filter, parcel number, owner, or id, and get their records, pictures, and values.',
  'Skip trace': 'Phone numbers of owners.',
  'Market statistics': 'Statistics for counties and ZIP codes, by lot size.',
  Comps: 'Listings and sales of land.',
  Changes: 'An ordered log of changes, for keeping a copy up to date.',
  'Saved searches': 'Filters that Plat tracks, reporting which parcels are added, removed, and changed.',
  Webhooks: 'URLs that Plat calls when data changes.',
  Lists: 'Sets of parcels for mailings, with offers and statuses.',
  'Comp reports': 'Reports in the web app that value a parcel with comps that you choose.',
  Exports: 'Files of parcels, comps, or statistics, created in the background and downloaded in parts.',
  Regions: 'Counties and ZIP codes by name.',
  'Saved markets': 'Regions that your company has pinned.',
  'Deal flow': 'Your board of lots for sale.',
  Usage: 'Tokens that the account has used.',
  Coverage: 'Counties with data, and how recent the data is.',
} as const;

/**
 * An endpoint of v1, declared as data. The router, checks, metering, and OpenAPI document are generated from
 * it. `Resources` is what its handler can use.
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
  /** Operation id in OpenAPI and tool name in MCP: snake_case, starting with a verb. */
  operationId: string;
  tag: keyof typeof TAGS;
  summary: string;
  description: string;
  params: Params;
  query: Query;
  /** Absent if the request has no body. */
  body?: Body;
  /** null for a free endpoint. */
  metering: Metering<Params, Query, Body, Resources> | null;
  /**
   * A limit shared by all endpoints that name it, in addition to the account's own. `tiles` replaces the
   * account's own.
   */
  rate?: ExtraLimit | 'tiles';
  /** A POST that changes nothing, because its body only selects what to read. */
  reads?: true;
  withoutContract?: boolean;
  /** Whether map keys can call it. */
  forMaps?: true;
  response: {
    status: 200 | 201 | 202 | 204;
    description: string;
    /** Other statuses that have the same body, and when they occur. */
    also?: Record<number, string>;
    /** Absent for 204. */
    schema?: z.ZodType;
    /** For a 201: the URL of the created resource. */
    location?(body: Record<string, unknown>): string;
    /** Whether clients can revalidate the response with If-None-Match. */
    etag?: boolean;
    example?: Example;
    /** Several named examples, instead of one. */
    examples?: Record<string, Example>;
  };
  errors: Partial<Record<'not_found' | 'gone' | 'conflict' | 'unprocessable', string>>;
  handle(input: Input<Params, Query, Body>, resources: Resources, call: CallContext): Promise<Answer>;
  /** The part of the stored response that a repeated call returns. Default: all of it. */
  recheck?(kept: KeptAnswer, resources: Resources): Promise<object>;
};

/** Whether a call changes nothing. Skip traces count as changes, because they query an outside provider. */
export const isReadOnly = ({ method, reads, rate }: Pick<Endpoint, 'method' | 'reads' | 'rate'>): boolean =>
  rate !== 'skip_trace' && (method === 'get' || reads === true);

/** The price of a call. A GET or POST with a price accepts `?quote=true` (quote.ts). */
export type Metering<
  Params extends z.ZodType = z.ZodType,
  Query extends z.ZodType = z.ZodType,
  Body extends z.ZodType = z.ZodType,
  Resources extends object = object,
> = {
  /** Usage is counted under this key. */
  key: string;
  price: Price | readonly Price[];
  /**
   * When a call costs less or nothing, or is priced differently. Appended wherever the price is described.
   */
  note: string;
  /** A response with content can be free, so tokens are checked only at the charge. */
  mayBeFree?: true;
  /** The number of calls that the price pays for, counted in a billing period. Default: 1. */
  perCalls?: number;
  /**
   * Tokens that an account must have left before the call runs. Default: 1. More if refusing the charge
   * would reveal how much was found.
   */
  needs?(input: Input<Params, Query, Body>, account: Account): number;
  /** The highest possible price. Default: the price. */
  atMost?: (input: Input<Params, Query, Body>) => number;
  /**
   * The `Quote` for a call whose price can be computed without looking up paid data. In the result, `tokens`
   * is the price of the quote itself.
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
