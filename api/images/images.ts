import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import type { Config } from '../../shared/platform/config.ts';
import type { Db } from '../../shared/platform/db.ts';
import type { Logger } from '../../shared/platform/log.ts';
import { type ImageUrls, openImageUrls } from './image-address.ts';
import { openStore } from './image-store.ts';
import { openPictures, type Pictures } from './pictures.ts';

export type Images = {
  pictures: Pictures;
  addresses: ImageUrls;
  /** Signs a new temporary URL. @returns its path and expiration */
  addressOf(propertyId: number, key: string, now: Date): Promise<{ path: string; expiresAt: Date }>;
};

export function openImages(db: Db, config: Config, log: Logger): Images {
  const store = openStore(join(config.PLAT_DIR, 'images'), config.IMAGE_CACHE_MB * 2 ** 20, log);
  const { REQUEST_TIMEOUT_MS: requestTimeoutMs, IMAGE_URL_MINUTES: urlMinutes } = config;
  const addresses = openImageUrls(db);
  return {
    pictures: openPictures({ db, store, log, requestTimeoutMs }),
    addresses,
    async addressOf(propertyId, key, now) {
      const expires = Math.floor(now.getTime() / 1000) + 60 * urlMinutes;
      const token = await addresses.sign({
        p: propertyId,
        k: key,
        e: expires,
        n: randomBytes(6).toString('base64url'),
      });
      return { path: `/images/${token}.jpg`, expiresAt: new Date(expires * 1000) };
    },
  };
}
