import { readUsage, readUsageBreakdown } from '../v1/usage.ts';
import { cents, count, day } from './figures.ts';
import { Notice } from './layout.tsx';
import { ask, requireAccount, type Visit } from './visit.ts';

type Totals = {
  tier: string | null;
  tokens_used: number;
  tokens_included: number;
  tokens_overage: number;
  overage_amount_cents: number;
  period_start: string | null;
  period_end: string | null;
};
type Usage = { date: string; endpoint: string; mode: string; tokens: number };
/** What the account has used of its period, and what that costs. */
export async function usageSection(visit: Visit) {
  const account = visit.session!.account!;
  try {
    await requireAccount(visit);
  } catch {
    return (
      <section>
        <h2>{account.name}</h2>
        <Notice kind="bad">
          The account has no active Pro subscription: the app and the API are closed to it.
        </Notice>
      </section>
    );
  }
  const [[totals], { records }] = await Promise.all([
    ask<[Totals]>(visit, readUsage),
    ask<{ records: Usage[] }>(visit, readUsageBreakdown),
  ]);
  const left = Math.max(0, totals.tokens_included - totals.tokens_used);
  return (
    <section>
      <h2>
        {account.name}: {totals.tier === null ? 'no API contract' : `tier ${totals.tier}`}
      </h2>
      {totals.period_end !== null && (
        <dl class="key">
          <div>
            <dt>Used</dt>
            <dd>{count(totals.tokens_used)}</dd>
          </div>
          <div>
            <dt>Left of {count(totals.tokens_included)}</dt>
            <dd>{count(left)}</dd>
          </div>
          <div>
            <dt>Overage</dt>
            <dd>
              {count(totals.tokens_overage)} <small>{cents(totals.overage_amount_cents)}</small>
            </dd>
          </div>
          <div>
            <dt>Counters reset</dt>
            <dd>{day(totals.period_end)}</dd>
          </div>
        </dl>
      )}
      {records.length > 0 ? (
        <UsageByDay records={records} />
      ) : (
        <p>No tokens have been used in this period. The app itself costs none.</p>
      )}
    </section>
  );
}

/** Bars of tokens by day, and the table they are drawn from. */
function UsageByDay({ records }: { records: Usage[] }) {
  const days = new Map<string, number>();
  for (const { date, tokens } of records) days.set(date, (days.get(date) ?? 0) + tokens);
  const first = Date.parse([...days.keys()][0]!);
  // At least a fortnight, so that one busy day is a column and not a wall.
  const span = Math.max(14, Math.round((Date.parse([...days.keys()].at(-1)!) - first) / 86_400_000) + 1);
  const most = Math.max(...days.values());
  const width = 100 / span;
  return (
    <>
      <svg
        class="columns"
        viewBox="0 0 100 24"
        preserveAspectRatio="none"
        role="img"
        aria-label="Tokens by day; the table below has the figures"
      >
        {[...days].map(([date, tokens]) => {
          const height = (23 * tokens) / most;
          const at = Math.round((Date.parse(date) - first) / 86_400_000) * width;
          return (
            <rect x={at + width * 0.1} y={24 - height} width={width * 0.8} height={height}>
              <title>{`${date}: ${count(tokens)} tokens`}</title>
            </rect>
          );
        })}
      </svg>
      <div class="axis" aria-hidden="true">
        <span>{[...days.keys()][0]}</span>
        <span>{day(new Date(first + (span - 1) * 86_400_000))}</span>
      </div>
      <details>
        <summary>By day, endpoint and mode</summary>
        <section class="scroll" tabindex={0} aria-label="Usage">
          <table>
            <thead>
              <tr>
                <th>Day</th>
                <th>Endpoint</th>
                <th>Mode</th>
                <th class="n">Tokens</th>
              </tr>
            </thead>
            <tbody>
              {records.map(record => (
                <tr>
                  <td>{record.date}</td>
                  <td>{record.endpoint}</td>
                  <td>{record.mode}</td>
                  <td class="n">{count(record.tokens)}</td>
                </tr>
              ))}
            </tbody>
          </table>
        </section>
      </details>
    </>
  );
}
