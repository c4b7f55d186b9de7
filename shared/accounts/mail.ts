import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../base/config.ts';
import type { Logger } from '../base/log.ts';

export type Mail = { to: string; subject: string; text: string };

/**
 * By SMTP_URL; without one into `outbox` of PLAT_DIR. The log never has the text, whose links sign people in.
 */
export async function sendMail(config: Config, log: Logger, mail: Mail): Promise<void> {
  const message = { from: config.MAIL_FROM, ...mail };
  const { createTransport } = await import('nodemailer');
  if (config.SMTP_URL !== undefined) {
    await createTransport(config.SMTP_URL).sendMail(message);
    return;
  }
  const { message: bytes } = await createTransport({ streamTransport: true, buffer: true }).sendMail(message);
  const folder = join(config.PLAT_DIR, 'outbox');
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const file = join(
    folder,
    `${new Date().toISOString().replaceAll(':', '-')}-${mail.to.replaceAll(/[^\w.@-]/g, '_')}.eml`,
  );
  await writeFile(file, bytes as Buffer, { mode: 0o600 });
  log.info({ file }, 'SMTP_URL is not set: a mail was written into the outbox');
}
