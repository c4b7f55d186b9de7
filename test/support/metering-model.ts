// A simple reference model of metering. Tests compare call histories with it.

export type Kind = 'stats' | 'unknown' | 'search' | 'filter';

export const CALLS: Record<
  Kind,
  {
    path: string;
    tool: [name: string, given: object];
    tokens: number;
    endpoint: string;
    status: number;
    body?: string;
  }
> = {
  stats: {
    path: 'markets-stats/33019/stats/',
    tool: ['get_market_stats', { fips: '33019' }],
    tokens: 10,
    endpoint: 'public_market_stats',
    status: 200,
  },
  unknown: {
    path: 'markets-stats/99999/stats/',
    tool: ['get_market_stats', { fips: '99999' }],
    tokens: 0,
    endpoint: 'public_market_stats',
    status: 404,
  },
  search: {
    path: 'properties/search/?fips=33019&apn=none',
    tool: ['search_properties', { fips: '33019', apn: 'none' }],
    tokens: 0,
    endpoint: 'public_property_search',
    status: 200,
  },
  filter: {
    // The tool's default page size, so that both send the same request.
    path: 'properties/filter/?page_size=25',
    tool: ['filter_properties', { county: '33019' }],
    tokens: 30,
    endpoint: 'public_parcel_filter',
    status: 200,
    body: '{"county":"33019"}',
  },
};
/** The model's state: what an account may do, and what it has used. */
export type Model = {
  tier: string | null;
  included: number;
  overage: boolean;
  paymentMethod: boolean;
  backstop: number | null;
  keyValid: boolean;
  periods: Period[];
  anchor: Date;
};
export type Period = {
  start: Date;
  end: Date;
  used: number;
  days: Map<string, number>;
  included: number;
  open: boolean;
};

export function allowed({ included, overage, paymentMethod, backstop }: Model): number {
  if (!overage || !paymentMethod) return included;
  return backstop === null ? Number.POSITIVE_INFINITY : included + backstop;
}

/**
 * The same time this many months later, on the same day of the month, or on the last day of a shorter month.
 */
export function monthsAfter(anchor: Date, months: number): Date {
  const first = new Date(Date.UTC(anchor.getUTCFullYear(), anchor.getUTCMonth() + months, 1));
  const last = new Date(Date.UTC(first.getUTCFullYear(), first.getUTCMonth() + 1, 0)).getUTCDate();
  const midnight = first.getTime() + (Math.min(anchor.getUTCDate(), last) - 1) * 86_400_000;
  return new Date(midnight + (anchor.getTime() % 86_400_000));
}

export function openPeriod(model: Model, start: Date, end: Date): void {
  model.periods.push({ start, end, used: 0, days: new Map(), included: model.included, open: true });
}

export function roll(model: Model, now: Date): void {
  for (;;) {
    const current = model.periods.at(-1);
    if (current === undefined || !current.open || now < current.end) return;
    current.open = false;
    current.included = model.included;
    let months = 1;
    while (monthsAfter(model.anchor, months) <= current.end) months++;
    openPeriod(model, current.end, monthsAfter(model.anchor, months));
  }
}

/** Whether a call is allowed. Charges its tokens if so. */
export function pay(model: Model, kind: Kind, now: Date): { status: number; tokens: number } {
  const { tokens, endpoint, status } = CALLS[kind];
  if (!model.keyValid) return { status: 401, tokens: 0 };
  if (model.tier === null) return { status: 402, tokens: 0 };
  roll(model, now);
  const period = model.periods.at(-1)!;
  // When no tokens are left, a priced endpoint refuses even its free calls.
  if (period.used + Math.max(tokens, 1) > allowed(model)) return { status: 402, tokens: 0 };
  if (tokens > 0) {
    period.used += tokens;
    const day = `${now.toISOString().slice(0, 10)} ${endpoint}`;
    period.days.set(day, (period.days.get(day) ?? 0) + tokens);
  }
  return { status, tokens };
}

/**
 * If a process knows that the tokens are used up, it refuses a call that has no results. A process that
 * doesn't know yet responds normally. Both are free.
 */
export function acceptRefusal(model: Model, kind: Kind, reply: { status: number; tokens: number }) {
  const either = CALLS[kind].tokens === 0 && model.tier !== null && reply.status === 402;
  return either ? { ...reply, status: CALLS[kind].status } : reply;
}

export function endContract(model: Model, now: Date): void {
  const period = model.periods.at(-1);
  if (!period?.open) return;
  Object.assign(period, { open: false, end: now, included: model.included });
}
