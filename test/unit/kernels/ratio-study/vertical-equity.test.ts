import { asyncBufferFromFile, parquetReadObjects } from 'hyparquet';
import { compressors } from 'hyparquet-compressors';
import { describe, expect, test } from 'vitest';
import { bootstrap, middle90, studyRatios } from '../../../../shared/kernels/ratio-study/ratio-study.ts';
import {
  isNoOutlier,
  modifiedKakwani,
  studyEquity,
  verticalEquity,
} from '../../../../shared/kernels/ratio-study/vertical-equity.ts';
import { createRandom } from '../../../bench/generate/random.ts';
import { normal } from '../../../support/sales.ts';

type Pairs = readonly (readonly [estimate: number, price: number])[];
const estimatesOf = (pairs: Pairs) => pairs.map(([estimate]) => estimate);
const pricesOf = (pairs: Pairs) => pairs.map(([, price]) => price);

/** IAAO, Standard on Ratio Studies, 2013: table 1-1, and tables D-1 and D-2 of its example of PRB. */
const TABLE_1_1: Pairs = [
  [48_000, 138_000],
  [28_800, 59_250],
  [78_400, 157_500],
  [39_840, 74_400],
  [68_160, 114_900],
  [94_400, 159_000],
  [67_200, 111_900],
  [56_960, 93_000],
  [87_200, 138_720],
  [38_240, 59_700],
  [96_320, 146_400],
  [67_680, 99_000],
  [32_960, 47_400],
  [50_560, 70_500],
  [61_360, 78_000],
  [47_360, 60_000],
  [58_080, 69_000],
  [47_040, 55_500],
  [136_000, 154_500],
  [103_200, 109_500],
  [59_040, 60_000],
  [168_000, 168_000],
  [128_000, 124_500],
  [132_000, 127_500],
  [160_000, 150_000],
  [160_000, 141_000],
  [200_000, 171_900],
  [184_000, 157_500],
  [160_000, 129_600],
  [157_200, 126_000],
  [99_200, 77_700],
  [200_000, 153_000],
  [64_000, 48_750],
  [192_000, 144_000],
  [190_400, 141_000],
  [65_440, 48_000],
];
const TABLE_D_1: Pairs = [
  [116_700, 114_500],
  [130_300, 121_000],
  [130_200, 133_900],
  [145_500, 139_000],
  [134_100, 145_000],
  [153_900, 156_500],
  [143_400, 161_100],
  [156_900, 169_500],
  [169_000, 175_000],
  [149_200, 181_000],
  [160_100, 188_900],
  [191_400, 205_000],
  [177_200, 216_150],
  [205_500, 219_000],
  [206_500, 235_000],
  [243_800, 249_000],
  [211_600, 258_900],
  [242_500, 263_000],
  [258_400, 305_900],
  [265_900, 312_500],
  [305_700, 336_000],
  [291_600, 360_000],
  [312_800, 399_900],
  [352_200, 418_500],
  [354_900, 459_000],
];
const TABLE_D_2: Pairs = [
  [45_000, 50_000],
  [100_000, 100_000],
  [165_000, 150_000],
  [180_000, 200_000],
  [250_000, 250_000],
  [330_000, 300_000],
  [315_000, 350_000],
  [400_000, 400_000],
  [495_000, 450_000],
  [450_000, 500_000],
  [550_000, 550_000],
  [660_000, 600_000],
  [585_000, 650_000],
  [700_000, 700_000],
  [825_000, 750_000],
  [1_875_000, 2_500_000],
];
/** IAAO, Standard on Ratio Studies, exposure draft 2025, table 1. */
const TABLE_1_OF_2025: Pairs = [
  [240_000, 690_000],
  [144_000, 296_250],
  [392_000, 787_500],
  [199_200, 372_000],
  [340_800, 574_500],
  [472_000, 795_000],
  [336_000, 559_500],
  [284_800, 465_000],
  [436_000, 693_600],
  [191_200, 298_500],
  [225_000, 350_000],
  [194_000, 295_000],
  [481_600, 732_000],
  [338_400, 495_000],
  [164_800, 237_000],
  [252_800, 352_500],
  [945_000, 1_289_000],
  [280_000, 379_000],
  [407_000, 540_000],
  [423_000, 560_000],
  [306_800, 390_000],
  [236_800, 300_000],
  [361_000, 450_000],
  [290_400, 345_000],
  [235_200, 277_500],
  [415_000, 485_000],
  [381_000, 442_000],
  [380_000, 435_000],
  [875_000, 998_000],
  [680_000, 772_500],
  [329_000, 365_000],
  [457_000, 487_000],
  [516_000, 547_500],
  [295_200, 300_000],
  [580_000, 580_000],
  [840_000, 840_000],
  [640_000, 622_500],
  [660_000, 637_500],
  [354_000, 340_000],
  [800_000, 750_000],
  [390_000, 352_500],
  [800_000, 705_000],
  [469_000, 410_000],
  [1_000_000, 859_500],
  [920_000, 787_500],
  [527_000, 440_000],
  [800_000, 648_000],
  [786_000, 630_000],
  [496_000, 388_500],
  [1_000_000, 765_000],
  [320_000, 243_750],
  [960_000, 720_000],
  [952_000, 705_000],
  [327_200, 240_000],
];
/** The sample of C. Quintos, A Gini Measure for Vertical Equity in Property Assessments, 2020. */
const QUINTOS: Pairs = [
  [37_299, 32_900],
  [40_166, 36_000],
  [56_317, 54_000],
  [66_184, 64_500],
  [69_487, 68_000],
  [71_515, 70_000],
  [75_338, 74_000],
  [81_036, 80_000],
  [85_673, 84_900],
  [85_021, 89_000],
  [90_046, 94_250],
  [94_089, 99_000],
  [100_227, 105_900],
  [103_157, 109_000],
  [108_290, 115_000],
  [117_099, 124_500],
  [115_347, 129_900],
  [119_678, 135_000],
  [131_631, 149_000],
  [137_321, 155_800],
  [143_974, 163_500],
  [153_572, 175_000],
  [148_457, 179_000],
  [153_488, 185_600],
  [165_040, 199_900],
  [176_940, 215_000],
  [192_959, 235_000],
  [180_046, 250_000],
  [200_240, 279_000],
  [211_445, 295_000],
];

describe('published figures', () => {
  test.each([
    ['1-1', TABLE_1_1, '29.8', '0.98', '0.232'],
    ['D-1', TABLE_D_1, '7.5', '1.03', '-0.120'],
    ['D-2', TABLE_D_2, '7.8', '1.06', '-0.011'],
  ])('table %s: COD, PRD and PRB', (_, table, cod, prd, prb) => {
    const study = studyRatios(estimatesOf(table), pricesOf(table))!;
    expect([study.cod.toFixed(1), study.prd.toFixed(2), study.prb.toFixed(3)]).toEqual([cod, prd, prb]);
  });

  test('table D-1: the PRD to three digits; table D-2: likewise', () => {
    const prds = [TABLE_D_1, TABLE_D_2].map(table => studyRatios(estimatesOf(table), pricesOf(table))!.prd);
    expect(prds.map(prd => prd.toFixed(3))).toEqual(['1.027', '1.056']);
  });

  test('the sample of Quintos: MKI 0.794', () => {
    expect(modifiedKakwani(estimatesOf(QUINTOS), pricesOf(QUINTOS))!.toFixed(3)).toBe('0.794');
  });

  test('the draft of 2025: VEI 50.12 % of medians with three digits', () => {
    const medianOf = (pairs: Pairs) => studyRatios(estimatesOf(pairs), pricesOf(pairs))!.medianRatio;
    const all = medianOf(TABLE_1_OF_2025);
    const worthOf = ([estimate, price]: Pairs[number]) => price / 2 + estimate / all / 2;
    const ordered = TABLE_1_OF_2025.toSorted((a, b) => worthOf(a) - worthOf(b));
    // The first and the last of four groups of 54.
    const printed = [medianOf(ordered.slice(0, 14)), medianOf(ordered.slice(41)), all].map(ratio =>
      ratio.toFixed(3),
    );
    expect(printed).toEqual(['0.728', '1.163', '0.868']);
    const [first, last, median] = printed.map(Number) as [number, number, number];
    expect(((100 * (last - first)) / median).toFixed(2)).toBe('50.12');
    // Without rounding between the steps.
    expect(verticalEquity(estimatesOf(TABLE_1_OF_2025), pricesOf(TABLE_1_OF_2025))!.toFixed(2)).toBe('50.18');
  });

  // ASSESSPY_SAMPLE=…/assesspy/data/ccao_sample.parquet: 979 sales under a license that ours cannot take in.
  test.runIf(process.env.ASSESSPY_SAMPLE)(
    "assesspy's sample of Cook County: COD, PRD, PRB, outliers, intervals",
    async () => {
      const file = await asyncBufferFromFile(process.env.ASSESSPY_SAMPLE!);
      const rows = (await parquetReadObjects({ file, compressors })) as {
        estimate: number;
        sale_price: number;
      }[];
      const estimates = rows.map(({ estimate }) => estimate);
      const prices = rows.map(({ sale_price }) => sale_price);
      const study = studyRatios(estimates, prices)!;
      expect(study.cod).toBeCloseTo(17.81456901196891, 12);
      expect(study.prd).toBeCloseTo(1.0484192615223522, 14);
      // Printed with its digits cut off.
      expect(study.prb.toFixed(9)).toMatch(/^0\.0024757/);
      expect(studyEquity(estimates, prices).outliers).toBe(28);
      // The middle 90 % that its tests print, and the 1 % that they allow for the drawing of resamples.
      const ends = (figure: 'cod' | 'prd') => {
        const values = bootstrap(rows.length, drawn => {
          const picked = Array.from(drawn, i => rows[i]!);
          return studyRatios(
            picked.map(({ estimate }) => estimate),
            picked.map(({ sale_price }) => sale_price),
          )![figure];
        });
        return middle90(values);
      };
      const [cod, prd] = [ends('cod'), ends('prd')];
      const near = expect.closeTo(1, 2);
      expect([cod.low / 16.61336, cod.high / 18.97916]).toEqual([near, near]);
      expect([prd.low / 1.036563, prd.high / 1.061334]).toEqual([near, near]);
    },
  );
});

test('estimates in proportion to prices are even, whatever the proportion', () => {
  const prices = Array.from({ length: 60 }, (_, i) => 1_000 * 1.1 ** i);
  const estimates = prices.map(price => 0.4 * price);
  expect(modifiedKakwani(estimates, prices)).toBeCloseTo(1, 9);
  expect(verticalEquity(estimates, prices)).toBeCloseTo(0, 9);
});

test('a figure with too few sales is null', () => {
  const few = pricesOf(QUINTOS).slice(0, 19);
  expect(verticalEquity(few, few)).toBeNull();
  expect(modifiedKakwani([1, 2], [5, 5])).toBeNull();
  const nothing = { median_ratio: null, cod: null, prd: null, prb: null, mki: null, vei: null };
  for (const prices of [[], [100]])
    expect(studyEquity(prices, prices)).toEqual({
      n: prices.length,
      outliers: 0,
      ...nothing,
      prb_by_chance: null,
      intervals: nothing,
    });
});

test('outliers are beyond three interquartile ranges', () => {
  // Quartiles of these eleven are 3 and 9, at the places (11 + 1) / 4 and three times that.
  const ratios = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11];
  const fits = isNoOutlier(ratios);
  expect([-15.1, -15, 27, 27.1].map(fits)).toEqual([false, true, true, false]);
});

test('a study leaves outliers out, and its intervals contain its figures, the same each time', () => {
  const random = createRandom(7);
  const prices = Array.from({ length: 300 }, () => 40_000 * Math.exp(0.8 * normal(random)));
  const estimates = prices.map(price => price * Math.exp(0.2 * normal(random)));
  const study = studyEquity([...estimates, 1, 9e9], [...prices, 50_000, 50_000]);
  expect([study.n, study.outliers]).toEqual([300, 2]);
  for (const [name, interval] of Object.entries(study.intervals)) {
    const figure = study[name as keyof typeof study.intervals]!;
    expect(interval!.low, name).toBeLessThanOrEqual(figure);
    expect(interval!.high, name).toBeGreaterThanOrEqual(figure);
    expect(interval!.low, name).toBeLessThan(interval!.high);
  }
  expect(studyEquity([...estimates, 1, 9e9], [...prices, 50_000, 50_000])).toEqual(study);
});
