/** Types for the part of autocannon that the benchmarks use, because the package doesn't include any. */
declare module 'autocannon' {
  type Client = { setHeaders(headers: Record<string, string>): void };
  type Options = {
    url: string;
    connections: number;
    /** Seconds. */
    duration: number;
    /** Called once per connection, before its first request. */
    setupClient(client: Client): void;
  };
  type Result = {
    requests: { total: number };
    /** Seconds. */
    duration: number;
    /** Milliseconds. */
    latency: { p99: number };
    non2xx: number;
    errors: number;
  };
  export default function autocannon(options: Options): Promise<Result>;
}
