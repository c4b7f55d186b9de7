import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import sharp from 'sharp';
import { expect } from 'vitest';
import { newCaller, startTestApi, usageOf } from './api.ts';
import { createTestDatabase } from './database.ts';
import { testFolder } from './folder.ts';
import { feedOf, ingest } from './ingest.ts';

export type Image = {
  property_id: number;
  image_url: string;
  mime_type: string;
  expires_at: string;
  imagery: string;
  attribution: string;
  captured: string | null;
};

export const imagePath = (id: number) => `/api/public/v1/properties/${id}/parcel-image/`;

/** An API with its own image folder, a caller, and a clock that the test sets. */
export async function startImages() {
  const db = await createTestDatabase();
  const folder = testFolder();
  const clock = { now: new Date('2026-07-01T12:00:00Z') };
  /** Starts another process in the same installation, as if on another machine. */
  const start = (env: Record<string, string> = {}) =>
    startTestApi(db, {
      env: { PLAT_DIR: testFolder(), ...env },
      now: () => clock.now,
    });
  const api = await start({ PLAT_DIR: folder });
  const { key, accountId } = await newCaller(db);
  const ask = (id: number) => api.call(imagePath(id), { key });
  return {
    db,
    api,
    key,
    clock,
    start,
    ask,
    async image(id: number): Promise<Image> {
      const reply = await ask(id);
      expect(reply.text).toMatch(/image_url/);
      return reply.json as Image;
    },
    tokens: async () => (await usageOf(db, accountId)).tokens,
    /** The names of stored images. */
    kept: () => readdirSync(join(folder, 'images')).filter(name => name.endsWith('.picture')),
    /** Ingests an imagery feed. */
    declare: (name: string, section: object, more: object = {}) =>
      ingest(db.pool, feedOf(folder, { name, kind: 'imagery', imagery: section, ...more })),
  };
}

export async function pixelsOf(url: string) {
  const bytes = Buffer.from(await (await fetch(url)).arrayBuffer());
  return sharp(bytes).raw().toBuffer({ resolveWithObject: true });
}
