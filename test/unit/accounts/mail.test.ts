import { once } from 'node:events';
import { readdirSync, readFileSync } from 'node:fs';
import { type AddressInfo, createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { sendMail } from '../../../shared/accounts/mail.ts';
import { loadConfig } from '../../../shared/platform/config.ts';
import { createLogger } from '../../../shared/platform/log.ts';
import { testFolder } from '../../support/folder.ts';

const LINK = `https://plat.example/sign-in/link/${'a'.repeat(43)}?next=%2Fdata%3Fcounty%3D33019%26vacant_only%3Dtrue`;
const MAIL = { to: 'ana@acme.example', subject: 'Sign in', text: `Open it – once:\n\n${LINK}\n` };

/** A mail server that takes one message. @returns its address, and the message as it came */
async function openMailServer() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const message = (async () => {
    const [socket] = await once(server, 'connection');
    socket.write('220 test\r\n');
    let data = '';
    let isText = false;
    for await (const chunk of socket.setEncoding('latin1')) {
      data += chunk;
      if (isText && !data.endsWith('\r\n.\r\n')) continue;
      if (isText) socket.end('250 taken\r\n');
      if (isText) break;
      for (const line of data.split('\r\n').slice(0, -1)) {
        isText = line === 'DATA';
        socket.write(isText ? '354 go on\r\n' : '250 ok\r\n');
      }
      data = '';
    }
    server.close();
    return data;
  })();
  return { url: `smtp://127.0.0.1:${(server.address() as AddressInfo).port}`, message };
}

test('a long link is kept whole, over SMTP and in the outbox', async () => {
  const log = createLogger({ LOG_LEVEL: 'silent' }, 'test');
  const { url, message } = await openMailServer();
  await sendMail(loadConfig({ SMTP_URL: url }), log, MAIL);
  const [head, body] = (await message).split('\r\n\r\n') as [string, string];
  expect(head).toContain('Content-Transfer-Encoding: base64');
  expect(Buffer.from(body, 'base64').toString().replaceAll('\r\n', '\n')).toBe(MAIL.text);

  const folder = testFolder();
  await sendMail(loadConfig({ PLAT_DIR: folder }), log, MAIL);
  const [file] = readdirSync(join(folder, 'outbox'));
  expect(readFileSync(join(folder, 'outbox', file!), 'utf8')).toContain(`\n${LINK}\n`);
});
