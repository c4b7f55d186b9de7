import type { Request } from 'express';

/** Desktop programs such as QGIS send the key as a password, with any user name. */
export function authorizationOf({ headers: { authorization } }: Request): string | undefined {
  const [, encoded] = /^Basic +([A-Za-z0-9+/=]+) *$/i.exec(authorization ?? '') ?? [];
  if (encoded === undefined) return authorization;
  const [, ...password] = Buffer.from(encoded, 'base64').toString().split(':');
  return `Bearer ${password.join(':')}`;
}
