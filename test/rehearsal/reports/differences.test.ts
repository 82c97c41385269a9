/** Differences between a client as it was seen and a CapabilityStatement. */
import { describe, expect, test } from '@jest/globals'
import { clientStatementOf } from '../../../src/rehearsal/reports/client-statement.ts'
import { differences, type Statement } from '../../../src/rehearsal/reports/differences.ts'
import { REPORT } from './a-report.ts'

const { observed } = REPORT

const restOf = (mode: string, rest: object): Statement => ({ rest: [{ mode, ...rest }] })
const codes = (...all: readonly string[]) => all.map((code) => ({ code }))
const names = (...all: readonly string[]) => all.map((name) => ({ name }))
const expected = (valueCode: string) => ({
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/capabilitystatement-expectation', valueCode }],
})

const SLOT = { type: 'Slot', interaction: codes('search-type'), searchParam: names('start', 'schedule') }
const PATIENT = {
  type: 'Patient',
  interaction: codes('search-type'),
  searchParam: names('birthdate', 'family'),
  operation: names('match'),
}
const APPOINTMENT = { type: 'Appointment', interaction: codes('create', 'read') }
const ALL = { resource: [SLOT, PATIENT, APPOINTMENT], interaction: codes('transaction') }

const sentences = (against: Statement) => {
  const { declaredNotSeen, seenNotDeclared, notOffered } = differences(observed, against)
  return [declaredNotSeen, seenNotDeclared, notOffered].map((list) => list.map(({ text }) => text))
}

describe('a client that declares', () => {
  test('what it was seen to use has no difference', () => {
    expect(sentences(clientStatementOf(observed, REPORT) as Statement)).toEqual([[], [], []])
    expect(sentences(restOf('client', ALL))).toEqual([[], [], []])
  })

  test('more than it was seen to use is told what was not seen, and how much it is wanted', () => {
    const slot = { ...SLOT, interaction: [...SLOT.interaction, { code: 'read', ...expected('SHOULD') }] }
    const coverage = { type: 'Coverage', ...expected('SHALL'), interaction: codes('read') }
    const more = {
      ...ALL,
      resource: [slot, PATIENT, APPOINTMENT, coverage],
      interaction: codes('transaction', 'batch'),
    }
    expect(differences(observed, restOf('client', more)).declaredNotSeen).toEqual([
      {
        ...{ type: 'Slot', what: 'interaction', name: 'read', expectation: 'SHOULD' },
        text: "Slot: the interaction 'read' (SHOULD) is declared, but was not seen",
      },
      {
        ...{ type: 'Coverage', what: 'type', name: 'Coverage', expectation: 'SHALL' },
        text: 'The type Coverage (SHALL) is declared, but was not seen',
      },
      {
        ...{ what: 'interaction', name: 'batch' },
        text: "The whole system: the interaction 'batch' is declared, but was not seen",
      },
    ])
  })

  test('less than it was seen to use is told what it does not declare, of a type that is missing the type alone', () => {
    const less = {
      resource: [{ type: 'Patient', interaction: codes('search-type'), searchParam: names('family') }, SLOT],
    }
    expect(sentences(restOf('client', less))).toEqual([
      [],
      [
        'The type Appointment was seen, but is not declared',
        "Patient: the search parameter 'birthdate' was seen, but is not declared",
        "Patient: the operation 'match' was seen, but is not declared",
        "The whole system: the interaction 'transaction' was seen, but is not declared",
      ],
      [],
    ])
  })

  test('that it shall not use something declares nothing of it', () => {
    const slot = { ...SLOT, searchParam: [{ name: 'start' }, { name: 'schedule', ...expected('SHALL-NOT') }] }
    expect(sentences(restOf('client', { ...ALL, resource: [slot, PATIENT, APPOINTMENT] }))).toEqual([
      [],
      ["Slot: the search parameter 'schedule' was seen, but is not declared"],
      [],
    ])
  })
})

describe('a server', () => {
  test('that offers less than the client was seen to use is told what it has not', () => {
    const ehr = restOf('server', {
      resource: [
        { ...PATIENT, operation: [] },
        { ...APPOINTMENT, interaction: codes('read', 'search-type') },
      ],
    })
    expect(sentences(ehr)).toEqual([
      [],
      [],
      [
        "Appointment: the interaction 'create' was seen, but the server has no such thing",
        "Patient: the operation 'match' was seen, but the server has no such thing",
        'The type Slot was seen, but the server has no such thing',
        "The whole system: the interaction 'transaction' was seen, but the server has no such thing",
      ],
    ])
  })

  test('may offer search parameters and operations for all types at once', () => {
    const ehr = restOf('server', {
      ...ALL,
      resource: [{ ...PATIENT, searchParam: names('family'), operation: [] }, SLOT, APPOINTMENT],
      searchParam: names('birthdate'),
      operation: names('$match'),
    })
    expect(sentences(ehr)).toEqual([[], [], []])
  })
})

test('a statement of both modes is compared with in both', () => {
  const both = { rest: [{ mode: 'client' }, { mode: 'server', ...ALL }] }
  const { declaredNotSeen, seenNotDeclared, notOffered } = differences(observed, both)
  expect([declaredNotSeen.length, seenNotDeclared.length, notOffered.length]).toEqual([0, 4, 0])
})

const NO_NAME = { toString: 1 }

test.each([
  ...[{}, { rest: null }, { rest: 'x' }, { rest: [null, 7, { mode: 'client', resource: { type: 'Slot' } }] }],
  restOf('client', { resource: [{ type: NO_NAME }], interaction: [{ code: NO_NAME }], operation: [{}] }),
])('a statement like %j is compared with as far as it can be read', (statement) => {
  const { declaredNotSeen, notOffered } = differences(observed, statement)
  expect([declaredNotSeen, notOffered]).toEqual([[], []])
})
