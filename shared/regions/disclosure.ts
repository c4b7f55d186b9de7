/**
 * States where sale prices aren't public record. AVMetrics, "Nondisclosure States"
 * (avmetrics.net/AVM_glossary/nondisclosure-states), as read in November 2026. This is an industry list, not
 * a statement of the states. Programs that read the rolls of Idaho, Montana, and Utah confirm it.
 */
const NON_DISCLOSURE = new Set('AK ID KS LA MS MO MT ND NM TX UT WY'.split(' '));

/** Prices that are public in parts: by county, transfer tax or affidavit; no data set of the state. */
const PARTIAL_DISCLOSURE = new Set('AL CA DE MI NC SC SD'.split(' '));

export type Disclosure = 'yes' | 'in_parts' | 'no';

/** Whether a state makes sale prices public. @param state USPS code */
export const disclosureOf = (state: string): Disclosure =>
  NON_DISCLOSURE.has(state) ? 'no' : PARTIAL_DISCLOSURE.has(state) ? 'in_parts' : 'yes';
