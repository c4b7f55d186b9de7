import fc from 'fast-check';

/**
 * Property tests try the same examples in every run, so that failures can be reproduced and results don't
 * change from day to day. FC_SEED=random (or a number) tries others.
 */
const wanted = process.env.FC_SEED ?? '20261120';
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) });
