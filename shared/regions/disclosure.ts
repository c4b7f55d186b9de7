/**
 * States where sale prices aren't public record. AVMetrics, "Nondisclosure States"
 * (avmetrics.net/AVM_glossary/nondisclosure-states), retrieved in November 2026. This is an industry list,
 * not an official one. Programs that read the rolls of Idaho, Montana, and Utah confirm it for those states.
 */
const NON_DISCLOSURE = new Set('AK ID KS LA MS MO MT ND NM TX UT WY'.split(' '));

/**
 * States where sale prices are only partly public: in some counties, or through transfer taxes or affidavits.
 * They have no statewide data set.
 */
const PARTIAL_DISCLOSURE = new Set('AL CA DE MI NC SC SD'.split(' '));

export type Disclosure = 'yes' | 'in_parts' | 'no';

/** Whether a state makes sale prices public. @param state USPS code */
export const disclosureOf = (state: string): Disclosure =>
  NON_DISCLOSURE.has(state) ? 'no' : PARTIAL_DISCLOSURE.has(state) ? 'in_parts' : 'yes';
