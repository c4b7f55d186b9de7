import fc from 'fast-check';

/**
 * Properties try the same examples in every run, so that a run that failed can be repeated and one
 * that passed says the same tomorrow. FC_SEED=random (or a number) tries others.
 */
const wanted = process.env.FC_SEED ?? '20261120';
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) });
