import { describe, expect, test } from 'vitest';
import { isCorporateOwner } from '../../../../shared/kernels/owner/corporate.ts';

describe('a corporate owner', () => {
  test.each([
    ...['HEARTLAND LAND 12 LLC', 'Iverson Forest, L.L.C.', 'WAKEFIELD 60 L L C', 'SAWYER PALMER INC'],
    ...['SAWYER PALMER INC.', 'ACME INCORPORATED', 'ACME CORP', 'CORPORATION OF THE PRESIDING BISHOP'],
    ...['SMITH FAMILY LP', 'SMITH FARMS, L.P.', 'SMITH FAMILY LIMITED PARTNERSHIP', 'JONES & DAY LLP'],
    ...['FIELDING KENDRICK, LTD', 'SELBY FOREST LTD WAKEFIELD', 'GRANITE COMPANY', 'GRANITE CO'],
    ...['GRANITE CO.', 'GRANITE & CO., THE', 'CROFT CALDER CO OF NH', 'SMITH DENTAL PLLC'],
    ...['HAWKEYE FARMS, L.C.', 'HAWKEYE FARMS LC', 'NORTHERN TIMBER MANAGEMENT CORPORATI'],
    ...['FIRST NATIONAL TRUST COMPANY', 'ABC LLC TRUST', 'WINSLOW LAKE ASSOCIATION, INC'],
  ])('%s', name => expect(isCorporateOwner(name)).toBe(true));

  test.each([
    ...['SMITH, JOHN A', 'SMITH FAMILY TRUST', 'SMITH JOHN REVOCABLE TRUST', 'ESTATE OF JOHN SMITH'],
    ...['COLE, INCA', 'LLCOOL, JAMES', 'SMITH, L P', 'SMITH, L.P.', 'SMITH JOHN L P', 'CO, MARIA'],
    ...['SMITH JOHN CO-TRUSTEE', 'SMITH JOHN & MARY CO TRUSTEES', 'SMITH JOHN, CO-EXECUTOR'],
    ...['SMITH, JOHN C/O ACME LLC', 'SMITH, JOHN % ACME LLC', 'COUNTY OF SULLIVAN', 'SULLIVAN COUNTY'],
    ...['SULLIVAN CO COMMISSIONERS', 'POLK CO CONSERVATION BOARD', 'CITY OF DENVER CO'],
    ...['STATE OF NEW HAMPSHIRE', 'WASHINGTON, TOWN OF - FOREST', 'PC', 'SMITH, INCE', 'LIMITEDS OF OHIO'],
    ...['FIRST BAPTIST CHURCH', '', '&'],
  ])('not %s', name => expect(isCorporateOwner(name)).toBe(false));
});
