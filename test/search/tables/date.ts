/** https://hl7.org/fhir/R4/search.html#date and #prefix. Times without a zone are UTC. */
import type { Table } from './table.ts'

const observation = (effective: object) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { text: 'x' },
  ...effective,
})
const at = (effectiveDateTime: string) => observation({ effectiveDateTime })
const during = (start?: string, end?: string) =>
  observation({ effectivePeriod: { ...(start ? { start } : {}), ...(end ? { end } : {}) } })
const report = (issued: string) => ({
  resourceType: 'DiagnosticReport',
  status: 'final',
  code: { text: 'x' },
  issued,
})

export const date: Table = {
  name: 'date',
  resources: [
    at('2013-01-14T00:00:00Z'),
    at('2013-01-14T10:00:00Z'),
    at('2013-01-15T00:00:00Z'),
    at('2013-01-14'),
    // 4: "from 21-Jan 2013 onwards", 5: "from 15-March 2013 onwards"
    during('2013-01-21'),
    during('2013-03-15'),
    // 6 to 8: as precise as may be
    at('2013'),
    at('2013-03'),
    at('2013-03-14'),
    // 9: in the zone of Vienna, where it is 15 January already
    at('2013-01-15T00:30:00+01:00'),
    during('2012-12-31T23:00:00-05:00', '2013-01-14'),
    during(undefined, '2013-01-13'),
    // 12
    observation({ effectiveTiming: { event: ['2013-05-01', '2013-05-20T10:00:00Z'] } }),
    observation({}),
    // 14 to 16: instants
    report('2013-01-14T10:00:00.000Z'),
    report('2013-01-14T10:00:00.500Z'),
    report('2013-01-14T11:00:01+01:00'),
  ],
  rows: [
    // R4: "2013-01-14T00:00 matches, 2013-01-14T10:00 matches, 2013-01-15T00:00 does not match".
    ['Observation?date=2013-01-14', [0, 1, 3, 9]],
    ['Observation?date=eq2013-01-14', [0, 1, 3, 9]],
    ['Observation?date=ne2013-01-14', [2, 4, 5, 6, 7, 8, 10, 11, 12]],
    // "lt2013-01-14T10:00 includes 2013-01-14, because it includes the part of 14-Jan 2013 before that time".
    ['Observation?date=lt2013-01-14T10:00', [0, 3, 6, 10, 11]],
    ['Observation?date=gt2013-01-14T10:00', [2, 3, 4, 5, 6, 7, 8, 9, 10, 12]],
    // "from 21-Jan 2013 onwards is included because that period may include times after 14-Mar 2013".
    ['Observation?date=ge2013-03-14', [4, 5, 6, 7, 8, 12]],
    // "... because that period may include times before 14-Mar 2013".
    ['Observation?date=le2013-03-14', [0, 1, 2, 3, 4, 6, 7, 8, 9, 10, 11]],
    // "from 15-March 2013 onwards is included because that period starts after 14-Mar 2013".
    ['Observation?date=sa2013-03-14', [5, 12]],
    // "from 21-Jan 2013 onwards is not included, because that period starts before 14-Mar 2013 but may include times later".
    ['Observation?date=eb2013-03-14', [0, 1, 2, 3, 9, 10, 11]],
    ['Observation?date=2013-01-14T10:00', [1]],
    ['Observation?date=2013-01-14T10:00:00Z', [1]],
    ['Observation?date=2013-01-14T10:00:00', [1]],
    ['Observation?date=2013-01-14T11:00:00+01:00', [1]],
    ['Observation?date=2013-01-14T23:30:00Z', [9]],
    ['Observation?date=2013-03', [7, 8]],
    ['Observation?date=2013', [0, 1, 2, 3, 6, 7, 8, 9, 10, 12]],
    ['Observation?date=ge2013', [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]],
    ['Observation?date=lt2013', [11]],
    ['Observation?date=gt2013', [4, 5]],
    // The days between two events count: R4 asks for the outer limits alone.
    ['Observation?date=gt2013-05-10&date=lt2013-05-11', [4, 5, 6, 12]],
    ['Observation?date=2013-05', [12]],
    ['Observation?date=2013-01-15,2013-03', [2, 7, 8]],
    ['Observation?date:missing=true', [13]],
    // An instant is a point, which a second holds whole.
    ['DiagnosticReport?issued=2013-01-14T10:00:00Z', [14, 15]],
    ['DiagnosticReport?issued=2013-01-14T10:00:00.500Z', [15]],
    ['DiagnosticReport?issued=2013-01-14T10:00:01Z', [16]],
    ['DiagnosticReport?issued=gt2013-01-14T10:00:00Z', [16]],
    ['DiagnosticReport?issued=ge2013-01-14T10:00:00.1Z', [15, 16]],
    ['DiagnosticReport?issued=eb2013-01-14T10:00:00.5Z', [14]],
    ['DiagnosticReport?issued=sa2013-01-14', []],
  ],
}
