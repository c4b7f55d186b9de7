-- Sets columns of an account; the others stay. Marks its current period, so that charges which wait for that read the account again.
-- Returns the most tokens that a period may use by the new terms, null for no ceiling.
-- $1 id, $2 {column: value}
with changed as (
  update accounts a set terms = a.terms + 1, (
    tier, pro, tokens_included, overage_cents_per_1000, overage_allowed, payment_method, invoice_paid, backstop_tokens,
    rate_per_minute, rate_burst, skip_trace_per_minute, user_id, company_id, period_anchor, period_start, period_end
  ) = (
    select n.tier, n.pro, n.tokens_included, n.overage_cents_per_1000, n.overage_allowed, n.payment_method, n.invoice_paid,
      n.backstop_tokens, n.rate_per_minute, n.rate_burst, n.skip_trace_per_minute, n.user_id, n.company_id,
      n.period_anchor, n.period_start, n.period_end
    from jsonb_populate_record(a, $2::jsonb) as n
  )
  where a.id = $1
  returning a.id, a.period_start, a.terms, a.tokens_allowed
), marked as (
  update usage_periods p set terms = c.terms from changed c where p.account_id = c.id and p.period_start = c.period_start
)
select tokens_allowed from changed;
