/**
 * Hours of the day for the codes of a Timing, for one visit and in wall-clock time. R4 leaves their meaning to the
 * institution.
 * https://hl7.org/fhir/R4/valueset-event-timing.html, https://hl7.org/fhir/R4/valueset-timing-abbreviation.html
 */

/** Ranges in hours of the day. */
export type Hours = readonly (readonly [from: number, until: number])[]

/** Hours by `Timing.repeat.when`. A night continues after midnight. */
export const HOURS: Readonly<Record<string, Hours>> = {
  MORN: [[5, 12]],
  'MORN.early': [[5, 9]],
  'MORN.late': [[9, 12]],
  NOON: [[11, 13]],
  AFT: [[12, 18]],
  'AFT.early': [[12, 15]],
  'AFT.late': [[15, 18]],
  EVE: [[17, 22]],
  'EVE.early': [[17, 19]],
  'EVE.late': [[19, 22]],
  NIGHT: [
    [0, 5],
    [22, 24],
  ],
  PHS: [[6, 8]],
  WAKE: [[6, 8]],
  HS: [[20, 22]],
  C: [
    [7, 9],
    [12, 14],
    [18, 20],
  ],
  CM: [[7, 9]],
  CD: [[12, 14]],
  CV: [[18, 20]],
  AC: [
    [6, 7],
    [11, 12],
    [17, 18],
  ],
  ACM: [[6, 7]],
  ACD: [[11, 12]],
  ACV: [[17, 18]],
  PC: [
    [9, 10],
    [14, 15],
    [20, 21],
  ],
  PCM: [[9, 10]],
  PCD: [[14, 15]],
  PCV: [[20, 21]],
}

/** True for codes whose `Timing.repeat.offset` is before the event; for all others it is after. */
export const isBefore = (when: string): boolean => when === 'HS' || when.startsWith('AC')

/** Hours by `Timing.code`, for codes of a part of the day. */
export const HOURS_OF_CODE: Readonly<Record<string, Hours | undefined>> = {
  AM: HOURS['MORN'],
  PM: HOURS['AFT'],
  BED: HOURS['HS'],
}

/** Codes of a frequency. */
export const OFTEN: ReadonlySet<string> = new Set([
  ...['BID', 'TID', 'QID', 'QD', 'QOD', 'WK', 'MO'],
  ...['Q1H', 'Q2H', 'Q3H', 'Q4H', 'Q6H', 'Q8H'],
])
