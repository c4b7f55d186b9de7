import { expect, test } from 'vitest';
import { isCorporateOwner } from '../../../../shared/kernels/owner/corporate.ts';
import { isHoaOwner } from '../../../../shared/kernels/owner/hoa.ts';
import { type MailAddress, ownerKeysOf } from '../../../../shared/kernels/owner/owner-facts.ts';
import { normalizeStreet } from '../../../../shared/kernels/owner/street.ts';
import { contextFor, readAll } from '../../formats/make.ts';

const ownerKey = (address: MailAddress) =>
  ownerKeysOf(normalizeStreet(address.mailAddress), address).ownerKeyText;

const data = new URL('../../../../workers/sample/data/washington_nh/', import.meta.url).pathname;
const { rows } = await readAll({ source: 'assessor-2025.dbf', format: 'dbf' }, contextFor(data));
const textOf = (value: unknown) => (typeof value === 'string' ? value : null);
const owners = rows.map(({ values }) => ({
  name: textOf(values.OWNER) ?? '',
  mailAddress: [values.ADDRESS, values.ADDRESS2].filter(Boolean).join(' ') || null,
  mailCity: textOf(values.CITY),
  mailState: textOf(values.STATE),
  mailZip: textOf(values.ZIP),
}));

test('the owners on a real roll: those with a legal form, and no trust, town, or person', () => {
  const corporate = owners.filter(owner => isCorporateOwner(owner.name));
  expect(owners).toHaveLength(2027);
  expect(corporate).toHaveLength(63);
  for (const { name } of corporate) expect(name).toMatch(/\b(LLC|INC|LTD|CO OF NH)\b/);
  expect(owners.filter(owner => isHoaOwner(owner.name))).toEqual([]);
});

test('the addresses on a real roll: 54 spellings match others', () => {
  const written = new Set(owners.map(({ mailAddress, mailZip }) => `${mailAddress}|${mailZip}`));
  const keys = new Set(owners.map(ownerKey));
  expect([written.size, keys.size]).toEqual([1461, 1407]);
  const town = owners.filter(owner => ownerKey(owner) === 'PO BOX 62|03280');
  expect(new Set(town.map(owner => owner.mailAddress))).toEqual(
    new Set(['423 WILLOW PINE BIRCH RD PO BOX 62', 'PO BOX 62']),
  );
});
