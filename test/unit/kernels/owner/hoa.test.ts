import { describe, expect, test } from 'vitest';
import { isHoaOwner } from '../../../../shared/kernels/owner/hoa.ts';

describe("a homeowners' association", () => {
  test.each([
    'FOX HOLLOW HOA',
    'FOX HOLLOW H.O.A., INC',
    'LEGACY OAK HOMEOWNERS ASSOCIATION',
    "LEGACY OAK HOMEOWNERS' ASSOC",
    "LEGACY OAK HOMEOWNER'S ASSN INC",
    'LEGACY OAK HOME OWNERS ASSN',
    'LEGACY OAK HOME-OWNERS ASSO',
    'LEGACY OAK ESTATES HOMEOWNERS A',
    'LAKESIDE PROPERTY OWNERS ASSOCIATION',
    'LAKESIDE LOT OWNERS ASSOC OF NH',
    'LAKESIDE POA',
    'LAKESIDE POA, INC.',
    'ASSOCIATION OF UNIT OWNERS OF LAKESIDE',
    'COUNCIL OF CO-OWNERS OF LAKESIDE',
    'LAKESIDE CONDOMINIUM ASSOCIATION',
    'LAKESIDE CONDO PHASE II ASSN',
    'LAKESIDE CONDOMINIUM TRUST',
    'WOODLANDS COMMUNITY ASSOCIATION INC',
    'WOODLANDS TOWNHOMES ASSOC',
    'woodlands master association',
  ])('%s', name => expect(isHoaOwner(name)).toBe(true));

  test.each([
    'SMITH, JOHN',
    'SMITH, JOHN POA',
    'HOANG, MINH',
    'MILLARD LAKE ASSOC',
    'WINSLOW LAKE ASSOCIATION, INC',
    'SMITH & ASSOCIATES',
    'HOMEOWNERS LOAN CORP',
    'LAKESIDE CONDOMINIUM LLC',
    'COMMUNITY BIBLE CHURCH',
    'COMMUNITY DEVELOPMENT ASSOCIATION',
    'NATIONAL ASSOCIATION OF REALTORS',
    '',
  ])('not %s', name => expect(isHoaOwner(name)).toBe(false));
});
