/** A careless fault: one replacement in one file, and the test files that have to notice it. */
export type Fault = { what: string; file: string; from: string; to: string; tests: string[] };

/** Faults that the suite once missed, and others of the same kinds. Each `from` occurs once in its file. */
export const faults: readonly Fault[] = [
  {
    what: 'a link signed for one purpose opens another',
    file: 'api/http/signed.ts',
    from: '.update(format).update(json)',
    to: '.update(json)',
    tests: ['test/unit/api/signed.test.ts'],
  },
  {
    what: 'a process that misses its deadline exits with 0',
    file: 'shared/base/shutdown.ts',
    from: "log.error({ deadlineMs }, 'did not stop in time');\n      process.exit(1)",
    to: "log.error({ deadlineMs }, 'did not stop in time');\n      process.exit(0)",
    tests: ['test/unit/base/shutdown.test.ts'],
  },
  {
    what: 'the sign of the lag',
    file: 'shared/kernels/valuation/select.ts',
    from: '- (market.sold ? lag : 0)',
    to: '+ (market.sold ? lag : 0)',
    tests: ['test/unit/kernels/valuation/lag.test.ts'],
  },
  {
    what: 'a mirrored interval',
    file: 'shared/kernels/valuation/value-parcel.ts',
    from: 'low: meanAdjustedPrice * Math.exp(-error.high),\n      high: meanAdjustedPrice * Math.exp(-error.low)',
    to: 'low: meanAdjustedPrice * Math.exp(error.low),\n      high: meanAdjustedPrice * Math.exp(error.high)',
    tests: ['test/unit/kernels/valuation/interval.test.ts'],
  },
  {
    what: 'a held-out sale is valued by sales of its own day',
    file: 'shared/kernels/valuation/calibrate.ts',
    from: 'soldDay[i]! - 1, entry, chosen',
    to: 'soldDay[i]!, entry, chosen',
    tests: ['test/unit/kernels/valuation/interval.test.ts'],
  },
  {
    what: 'the mean elevation is divided by the area with slopes',
    file: 'shared/kernels/terrain/terrain.ts',
    from: 'sums.heightSum / sums.heightArea',
    to: 'sums.heightSum / area',
    tests: ['test/unit/kernels/terrain/kernels.test.ts'],
  },
  {
    what: 'FT is no FORT',
    file: 'shared/kernels/owner/owner-facts.ts',
    from: "  FT: 'FORT',\n",
    to: '',
    tests: ['test/unit/kernels/owner/owner-facts.test.ts'],
  },
  {
    what: 'the first CO of a name decides',
    file: 'shared/kernels/owner/corporate.ts',
    from: "words.lastIndexOf('CO')",
    to: "words.indexOf('CO')",
    tests: ['test/unit/kernels/owner/corporate.test.ts'],
  },
  {
    what: 'the error #REF! is text',
    file: 'workers/formats/xlsx.ts',
    from: 'VALUE|REF|',
    to: 'VALUE|',
    tests: ['test/unit/formats/xlsx.test.ts'],
  },
  {
    what: 'only the first DNS address is checked',
    file: 'shared/net/guarded-fetch.ts',
    from: 'if (options.all) return done(null, within);',
    to: 'if (options.all) return done(null, addresses);',
    tests: ['test/unit/net/redirects.test.ts'],
  },
  {
    what: 'a digest without days on market',
    file: 'shared/market/dated-listings.ts',
    from: 'words[8] = listings.daysOnMarket[row]!;',
    to: 'words[8] = 0;',
    tests: ['test/unit/market/dated-listings.test.ts'],
  },
];
