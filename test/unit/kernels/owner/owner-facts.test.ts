import { describe, expect, test } from 'vitest';
import {
  type MailAddress,
  type OwnedParcel,
  ownerFacts,
  ownerKeysOf,
} from '../../../../shared/kernels/owner/owner-facts.ts';
import { normalizeStreet } from '../../../../shared/kernels/owner/street.ts';

const ownerKey = (address: MailAddress) =>
  ownerKeysOf(normalizeStreet(address.mailAddress), address).ownerKeyText;

const home: OwnedParcel = {
  ownerName: 'SMITH, JOHN',
  mailAddress: '12 Main Street',
  mailCity: 'WASHINGTON',
  mailState: 'NH',
  mailZip: '03280',
  situsAddress: '12 MAIN ST',
  situsState: 'NH',
  situsZip: '03280',
  ownerOccupied: null,
  fips: 33019,
  countyState: 'NH',
};
const COUNTIES: Record<string, number> = { '03280': 33019, '03301': 33013, '02110': 25025 };
const facts = (over: Partial<OwnedParcel>) => ownerFacts({ ...home, ...over }, zip => COUNTIES[zip] ?? null);

describe("an owner's key", () => {
  const key = (over: Partial<OwnedParcel>) => ownerKey({ ...home, ...over });

  test('is street and ZIP, else street, city, and state', () => {
    expect(key({})).toBe('12 MAIN ST|03280');
    expect(key({ mailZip: '03280-1234', mailCity: null, mailState: null })).toBe('12 MAIN ST|03280');
    expect(key({ mailZip: null, mailCity: 'St. Johnsbury', mailState: 'vt' })).toBe(
      '12 MAIN ST|SAINT JOHNSBURY|VT',
    );
    expect(key({ mailZip: '00000' })).toBe('12 MAIN ST|WASHINGTON|NH');
  });

  test.each([
    ['ST JOHNSBURY', 'SAINT JOHNSBURY'],
    ['STE GENEVIEVE', 'SAINTE GENEVIEVE'],
    ['FT. WAYNE', 'FORT WAYNE'],
    ['MT VERNON', 'MOUNT VERNON'],
    ['PT PLEASANT', 'POINT PLEASANT'],
    ['N HAVEN', 'NORTH HAVEN'],
    ['S BEND', 'SOUTH BEND'],
    ['E LANSING', 'EAST LANSING'],
    ['W FARGO', 'WEST FARGO'],
  ])('%s is the city %s', (short, long) => {
    const inCity = (mailCity: string) => key({ mailZip: null, mailCity });
    expect(inCity(short)).toBe(inCity(long));
    expect(inCity(short)).toBe(`12 MAIN ST|${long}|NH`);
  });

  test('is the same for every spelling of one address', () => {
    const spelled = ['12 MAIN ST', '12 main st.', '12  MAIN STREET', 'C/O J DOE 12 MAIN ST'];
    expect(new Set(spelled.map(mailAddress => key({ mailAddress }))).size).toBe(1);
  });

  test('needs a street, and a ZIP or a city and state', () => {
    expect(key({ mailAddress: null })).toBeNull();
    expect(key({ mailAddress: 'UNKNOWN' })).toBeNull();
    expect(key({ mailZip: null, mailCity: null })).toBeNull();
    expect(key({ mailZip: null, mailCity: ' - ' })).toBeNull();
    expect(key({ mailZip: null, mailState: null })).toBeNull();
    expect(key({ mailZip: 'M4V 1H', mailState: null })).toBeNull();
  });
});

describe('facts of an owner', () => {
  test('occupied by the owner', () => {
    expect(facts({})).toEqual({
      ownerKeyText: '12 MAIN ST|03280',
      placeKeyText: '12 MAIN ST|WASHINGTON|NH',
      corporate: false,
      hoa: false,
      outOfState: false,
      outOfCounty: false,
      outOfZip: false,
      ownerOccupied: true,
    });
  });

  test('nothing is known without data', () => {
    const nothing = {
      ownerName: null,
      mailAddress: null,
      mailCity: null,
      mailState: null,
      mailZip: null,
      situsAddress: null,
      situsState: null,
      situsZip: null,
    };
    expect(new Set(Object.values(facts(nothing)))).toEqual(new Set([null]));
  });

  test('kinds of owners', () => {
    expect(facts({ ownerName: 'OAK HOA INC' })).toMatchObject({ corporate: true, hoa: true });
  });

  test("state: compared with the parcel's, else the county's", () => {
    expect(facts({ mailState: 'MA' }).outOfState).toBe(true);
    expect(facts({ mailState: 'MA', situsState: null }).outOfState).toBe(true);
    expect(facts({ situsState: null }).outOfState).toBe(false);
    expect(facts({ situsState: null, countyState: null }).outOfState).toBeNull();
    expect(facts({ mailState: null }).outOfState).toBeNull();
  });

  test('ZIP', () => {
    expect(facts({ mailZip: '03301' }).outOfZip).toBe(true);
    expect(facts({ mailZip: null }).outOfZip).toBeNull();
    expect(facts({ situsZip: null }).outOfZip).toBeNull();
  });

  test('county: by the ZIP, else by the state', () => {
    expect(facts({ mailZip: '03301' }).outOfCounty).toBe(true);
    expect(facts({ mailZip: '03280', situsZip: null }).outOfCounty).toBe(false);
    expect(facts({ mailZip: '99999' }).outOfCounty).toBeNull();
    expect(facts({ mailZip: null }).outOfCounty).toBeNull();
    expect(facts({ mailZip: null, mailState: 'MA' }).outOfCounty).toBe(true);
    // Most of the ZIP lies in the next county, the parcel and its owner do not.
    expect(facts({ mailZip: '03301', situsZip: '03301' }).outOfCounty).toBe(false);
  });

  test("occupied: the roll's flag first", () => {
    expect(facts({ ownerOccupied: false }).ownerOccupied).toBe(false);
    expect(facts({ ownerOccupied: true, mailZip: '02110' }).ownerOccupied).toBe(true);
  });

  test('occupied: by comparing addresses', () => {
    expect(facts({ mailAddress: '14 MAIN ST' }).ownerOccupied).toBe(false);
    expect(facts({ mailZip: '02110' }).ownerOccupied).toBe(false);
    expect(facts({ mailState: 'MA', mailZip: null }).ownerOccupied).toBe(false);
    expect(facts({ mailAddress: null }).ownerOccupied).toBeNull();
    expect(facts({ situsAddress: null }).ownerOccupied).toBeNull();
    expect(facts({ situsZip: null }).ownerOccupied).toBeNull();
    expect(facts({ mailAddress: 'PO BOX 62' }).ownerOccupied).toBeNull();
    expect(facts({ mailAddress: 'PO BOX 62', mailZip: '02110' }).ownerOccupied).toBe(false);
    expect(facts({ situsAddress: 'MAIN ST' }).ownerOccupied).toBeNull();
    expect(facts({ situsAddress: 'BACK MOUNTAIN RD' }).ownerOccupied).toBe(false);
  });
});
