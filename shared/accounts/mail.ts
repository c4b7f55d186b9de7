import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../platform/config.ts';
import { processCounts } from '../platform/declared-metrics.ts';
import type { Logger } from '../platform/log.ts';

export type Mail = {
  to: string;
  subject: string;
  text: string;
  /** A URL that unsubscribes with a POST, which needs no sign-in (RFC 8058). */
  unsubscribe?: string;
};

/**
 * Sends through SMTP_URL, or writes to `outbox` in PLAT_DIR if it is not set. Never logs the text, because
 * its links sign people in.
 */
export async function sendMail(config: Config, log: Logger, mail: Mail): Promise<void> {
  try {
    await send(config, log, mail);
  } catch (error) {
    processCounts.mailFailures++;
    throw error;
  }
}

async function send(config: Config, log: Logger, { unsubscribe, ...mail }: Mail): Promise<void> {
  const headers: Record<string, string> =
    unsubscribe === undefined
      ? {}
      : { 'List-Unsubscribe': `<${unsubscribe}>`, 'List-Unsubscribe-Post': 'List-Unsubscribe=One-Click' };
  if (config.SMTP_URL !== undefined) {
    const { createTransport } = await import('nodemailer');
    // Quoted-printable would break lines over 76 characters, including the links in them.
    const how = { from: config.MAIL_FROM, headers, textEncoding: 'base64' } as const;
    await createTransport(config.SMTP_URL).sendMail({ ...how, ...mail });
    return;
  }
  const folder = join(config.PLAT_DIR, 'outbox');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const name = `${new Date().toISOString().replaceAll(':', '-')}-${mail.to.replaceAll(/[^\w.@-]/g, '_')}.txt`;
  const file = join(folder, name);
  // Write it as plain text, because MIME would break links at 76 characters.
  const head = Object.entries({ To: mail.to, Subject: mail.subject, ...headers });
  const lines = head.map(([name, value]) => `${name}: ${value}\n`).join('');
  await writeFile(file, `${lines}\n${mail.text}`, { mode: 0o600 });
  log.info({ file }, 'SMTP_URL is not set; wrote an email to the outbox');
}
