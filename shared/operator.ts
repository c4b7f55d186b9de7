import { hostname, userInfo } from 'node:os';

/** Who runs this process, for the audit table: `ana@host`; behind sudo the person rather than root. */
export function operator(): string {
  return `${process.env.SUDO_USER ?? userName()}@${hostname()}`;
}

function userName(): string {
  try {
    return userInfo().username;
  } catch {
    // A container's user may have no entry in /etc/passwd.
    return `uid ${process.getuid?.() ?? 'unknown'}`;
  }
}
