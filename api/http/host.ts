import type { Request } from 'express';
import type { Details } from './errors.ts';

/** RFC 3986, sections 3.2.2 and 3.2.3: a registered name or an address, and a port. No user, path or query. */
const HOST = /^(?:\[[0-9a-f:.]+\]|(?:[\w.~!$&'()*+,;=-]|%[0-9a-f]{2})+)(?::[0-9]{0,5})?$/i;

const COMPLAINT = 'is not a host: a name or an address, with a port or without';

/** Whether links can be built on where the request says that it came to; undefined when they can. An empty Host is none. */
export function hostFault(req: Request): Details | undefined {
  const { host } = req.headers;
  if (host && !isHost(host)) return { Host: [COMPLAINT] };
  // As the trusted proxies forward it; else the same.
  if (req.host && req.host !== host && !isHost(req.host)) return { 'X-Forwarded-Host': [COMPLAINT] };
  if (req.protocol !== 'http' && req.protocol !== 'https')
    return { 'X-Forwarded-Proto': ['must be http or https'] };
  return undefined;
}

/** What the grammar leaves open (ports over 65535, 999.1.1.1) is the URL parser's to refuse. */
function isHost(text: string): boolean {
  return HOST.test(text) && URL.canParse(`http://${text}/`);
}
