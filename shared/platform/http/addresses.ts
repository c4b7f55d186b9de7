import { BlockList, isIP } from 'node:net';

/**
 * Loopback, private, link-local, shared, and reserved networks, networks that translate to others (IANA's
 * special-purpose registries, RFC 6890), and the address of Azure's instance metadata service.
 */
const NOT_PUBLIC = new BlockList();
const IPV4 =
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 168.63.129.16/32 169.254.0.0/16 172.16.0.0/12 192.0.0.0/24 192.0.2.0/24 192.88.99.0/24 192.168.0.0/16 198.18.0.0/15 198.51.100.0/24 203.0.113.0/24 224.0.0.0/3';
const IPV6 =
  '::/96 ::ffff:0:0:0/96 64:ff9b:1::/48 100::/64 2001::/23 2001:db8::/32 2002::/16 3fff::/20 5f00::/16 fc00::/7 fe80::/9 ff00::/8';
for (const network of IPV4.split(' ')) {
  const [address, prefix] = network.split('/') as [string, string];
  NOT_PUBLIC.addSubnet(address, Number(prefix), 'ipv4');
  // NAT64 addresses (RFC 6052) lead to the IPv4 address that they embed.
  NOT_PUBLIC.addSubnet(`64:ff9b::${address}`, 96 + Number(prefix), 'ipv6');
}
for (const network of IPV6.split(' ')) {
  const [address, prefix] = network.split('/') as [string, string];
  NOT_PUBLIC.addSubnet(address, Number(prefix), 'ipv6');
}

export function isPublicAddress(address: string): boolean {
  const family = isIP(address);
  return family !== 0 && !NOT_PUBLIC.check(address, family === 6 ? 'ipv6' : 'ipv4');
}
