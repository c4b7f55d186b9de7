/**
 * Endpoints that share a tool. The path parameter in the arguments selects one. The last one is the default.
 */
export const SHARED: Readonly<Record<string, readonly string[]>> = {
  get_market_stats: ['get_county_market_stats', 'get_zip_market_stats'],
  get_market_history: ['get_county_market_history', 'get_zip_market_history'],
  get_coverage: ['get_county_coverage', 'get_coverage'],
};

/**
 * Endpoints without a tool. Only a deal board's owner may edit it, assistants may not choose where data is
 * sent, and listing deals or webhooks already returns every one of them.
 */
const NO_TOOLS = new Set([
  'create_deal_flow_listing',
  'get_deal_flow_listing',
  'get_deal_flow_listing_history',
  'update_deal_flow_listing',
  'delete_deal_flow_listing',
  'create_webhook',
  'get_webhook',
  'update_webhook',
  'delete_webhook',
  'rotate_webhook_secret',
  'test_webhook',
  'replay_webhook',
]);

/** The tool for an endpoint, or undefined if it has none. */
export function toolNameOf(operationId: string): string | undefined {
  if (NO_TOOLS.has(operationId)) return undefined;
  return Object.keys(SHARED).find(name => SHARED[name]!.includes(operationId)) ?? operationId;
}
