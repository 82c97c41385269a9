/**
 * Every interaction, operation and format that /metadata declares is served. The calls are derived from the statement;
 * only the least inputs of operations are written here.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { OperationDefinition } from 'fhir/r4'
import { minimalResource, sampleParameter } from '../support/minimal-resources.ts'
import type { FhirResponse } from '../support/server.ts'
import { type Declared, minimal, startDeclared } from './declared.ts'

let declared: Declared
beforeAll(async () => {
  declared = await startDeclared()
})
afterAll(() => declared.server.close())

/** A way to call an interaction, and the status it has when all is well. */
type Call = (
  type: string,
) => readonly [method: string, path: string, status: number, body?: unknown, headers?: Record<string, string>]

/** In this order. */
const INTERACTIONS: Readonly<Record<string, Call>> = {
  create: (type) => ['POST', `/${type}`, 201, minimal(type)],
  read: (type) => ['GET', `/${type}/m`, 200],
  update: (type) => ['PUT', `/${type}/m`, 200, { ...minimal(type), id: 'm', language: 'en' }],
  patch: (type) => ['PATCH', `/${type}/m`, 200, [{ op: 'replace', path: '/language', value: 'de' }]],
  vread: (type) => ['GET', `/${type}/m/_history/1`, 200],
  'history-instance': (type) => ['GET', `/${type}/m/_history`, 200],
  'history-type': (type) => ['GET', `/${type}/_history?_count=1`, 200],
  'search-type': (type) => ['GET', `/${type}?_count=1`, 200],
}
const FLAGS = {
  conditionalCreate: (type) => ['POST', `/${type}`, 200, minimal(type), { 'if-none-exist': '_id=m' }],
  conditionalUpdate: (type) => ['PUT', `/${type}?_id=m`, 200, minimal(type)],
  updateCreate: (type) => ['PUT', `/${type}/made`, 201, { ...minimal(type), id: 'made' }],
  conditionalRead: (type) => ['GET', `/${type}/made`, 304, undefined, { 'if-none-match': 'W/"1"' }],
  conditionalDelete: (type) => ['DELETE', `/${type}?_id=made`, 204],
} as const satisfies Readonly<Record<string, Call>>
const LAST: Readonly<Record<string, Call>> = { delete: (type) => ['DELETE', `/${type}/m`, 204] }

/** The calls whose status is not the expected one. */
async function wrongly(calls: readonly (readonly [string, Call])[], type: string): Promise<readonly unknown[]> {
  const wrong: unknown[] = []
  for (const [name, call] of calls) {
    const [method, path, expected, body, headers] = call(type)
    const { status, text } = await declared.server.fhir(method, path, body, headers)
    if (status !== expected) wrong.push([name, method, path, status, text])
  }
  return wrong
}

const bundle = (type: string) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ request: { method: 'GET', url: 'Patient/m' } }],
})
const SYSTEM: Readonly<Record<string, Call>> = {
  transaction: () => ['POST', '/', 200, bundle('transaction')],
  batch: () => ['POST', '/', 200, bundle('batch')],
  'search-system': () => ['GET', '/?_id=m&_count=1', 200],
  'history-system': () => ['GET', '/_history?_count=1', 200],
}

test('every interaction of the whole system is carried out', async () => {
  const codes = (declared.rest.interaction ?? []).map(({ code }) => code)
  expect(codes.toSorted()).toEqual(Object.keys(SYSTEM).toSorted())
  expect(await wrongly(Object.entries(SYSTEM), '')).toEqual([])
})

describe('operations', () => {
  type Input = Readonly<Record<string, unknown>>
  const META: Input = { name: 'meta', valueMeta: { tag: [{ system: 'http://example.org', code: 't' }] } }
  const GENDERS = 'http://hl7.org/fhir/administrative-gender'
  const code: readonly Input[] = [
    { name: 'code', valueCode: 'male' },
    { name: 'system', valueUri: GENDERS },
  ]
  const text = (values: Readonly<Record<string, string>>): readonly Input[] =>
    Object.entries(values).map(([name, valueString]) => ({ name, valueString }))

  /** By the end of the definition's address: where a sample of each required parameter would not do. */
  const INPUTS: Readonly<Record<string, readonly Input[]>> = {
    'Resource-meta-add': [META],
    'Resource-meta-delete': [META],
    'CodeSystem-lookup': code,
    'CodeSystem-subsumes': [
      { name: 'codeA', valueCode: 'male' },
      { name: 'codeB', valueCode: 'female' },
      { name: 'system', valueUri: GENDERS },
    ],
    'CodeSystem-validate-code': [
      { name: 'url', valueUri: GENDERS },
      { name: 'code', valueCode: 'male' },
    ],
    'ValueSet-expand': [{ name: 'url', valueUri: 'http://hl7.org/fhir/ValueSet/administrative-gender' }],
    'ValueSet-validate-code': [
      { name: 'url', valueUri: 'http://hl7.org/fhir/ValueSet/administrative-gender' },
      ...code,
    ],
    'StructureDefinition-snapshot': [{ name: 'url', valueUri: 'http://hl7.org/fhir/StructureDefinition/Patient' }],
    'ConceptMap-translate': [...code, { name: 'target', valueUri: 'http://example.org/x' }],
    'NamingSystem-preferred-id': [
      { name: 'id', valueString: 'http://snomed.info/sct' },
      { name: 'type', valueCode: 'oid' },
    ],
    'Patient-match': [{ name: 'resource', resource: { resourceType: 'Patient', name: [{ family: 'x' }] } }],
    'Patient-merge': [
      { name: 'source-patient', valueReference: { reference: 'Patient/m' } },
      { name: 'target-patient', valueReference: { reference: 'Patient/m' } },
    ],
    'patient-unmerge': [{ name: 'source-patient', valueReference: { reference: 'Patient/m' } }],
    'appointment-hold': [{ name: 'appointment-reference', valueReference: { reference: 'Appointment/m' } }],
    'appointment-book': [{ name: 'appointment-reference', valueReference: { reference: 'Appointment/m' } }],
    // Refused, so that later calls find the appointment unchanged.
    'appointment-cancel': [{ name: 'reason', valueCodeableConcept: { coding: 'none' } }],
    'appointment-reschedule': [{ name: 'slot', valueReference: { reference: 'Slot/m' } }],
    'patient-resolve-patient-identity': text({ statedName: 'Ada Lovelace' }),
    'patient-record-self-pay-decision': text({ decision: 'self_pay_continue' }),
    'patient-validate-intake-field': text({ fieldName: 'phone', value: 'x' }),
    'patient-submit-intake': text({
      ...{ firstName: 'Ada', lastName: 'Lovelace', dateOfBirth: '1980-03-03', phone: '+12025550143' },
      ...{ email: 'ada@example.org', address: '1 Main St', reasonForVisit: 'x' },
    }),
    'implementation-guide-install': [
      {
        name: 'bundle',
        resource: { resourceType: 'Bundle', type: 'collection', entry: [{ resource: minimalResource('ValueSet') }] },
      },
    ],
  }

  const requiredInput = ({ parameter = [] }: OperationDefinition): readonly Input[] =>
    parameter.filter(({ use, min }) => use === 'in' && min > 0).map(sampleParameter)

  /** On a resource the address says which one is meant. */
  const inputFor = (type: string, path: string, definition: OperationDefinition): object => {
    const { url = '' } = definition
    const resource = [{ name: 'resource', resource: minimal(type) }]
    const written = INPUTS[url.slice(url.lastIndexOf('/') + 1)]
    const all = url.endsWith('Resource-validate') ? resource : (written ?? requiredInput(definition))
    return {
      resourceType: 'Parameters',
      parameter: path.includes('/m/') ? all.filter(({ name }) => name !== 'url') : all,
    }
  }

  const definitions = new Map<string, OperationDefinition>()
  const definitionAt = async (url: string): Promise<OperationDefinition> => {
    const found =
      definitions.get(url) ??
      (await declared.server.fhir('GET', `/OperationDefinition?url=${encodeURIComponent(url)}`)).body.entry[0].resource
    definitions.set(url, found)
    return found
  }

  /**
   * Refusals because the server does not know or support the operation, or because INPUTS lacks a parameter; refusals
   * because of the data count as served.
   */
  const isUnserved = ({ status, body }: FhirResponse): boolean =>
    status >= 500 ||
    status === 404 ||
    status === 405 ||
    /not-supported|missing-parameter|invalid-parameter/.test(JSON.stringify(body ?? {}))

  async function unserved(paths: readonly string[], type: string, definition: OperationDefinition) {
    const wrong: unknown[] = []
    for (const path of paths) {
      const answer = await declared.server.fhir('POST', path, inputFor(type, path, definition))
      if (isUnserved(answer)) wrong.push([path, answer.status, answer.text])
      else if (answer.status >= 400) expect([path, answer.body.resourceType]).toEqual([path, 'OperationOutcome'])
    }
    return wrong
  }

  test('of every type are carried out on it and on a resource, as their definitions say', async () => {
    for (const { type, operation = [] } of declared.types) {
      for (const { name, definition: url } of operation) {
        const definition = await definitionAt(url)
        const paths = [
          ...(definition.type ? [`/${type}/$${name}`] : []),
          ...(definition.instance ? [`/${type}/m/$${name}`] : []),
        ]
        expect([name, paths.length > 0]).toEqual([name, true])
        expect(await unserved(paths, type, definition)).toEqual([])
      }
    }
  })

  test('of the whole system are carried out', async () => {
    const operations = declared.rest.operation ?? []
    expect(operations).not.toEqual([])
    for (const { name, definition: url } of operations) {
      const definition = await definitionAt(url)
      expect(definition.system).toBe(true)
      expect(await unserved([`/$${name}`], 'Basic', definition)).toEqual([])
    }
  })
})

test('every format is written and every patch format understood', async () => {
  const parts = { type: 'replace', path: 'Basic.language', value: 'fr' }
  const values = Object.entries(parts).map(([name, valueString]) => ({ name, valueString }))
  const patches: Readonly<Record<string, unknown>> = {
    'application/json-patch+json': [{ op: 'add', path: '/language', value: 'fr' }],
    'application/xml-patch+xml':
      '<diff xmlns:f="http://hl7.org/fhir"><replace sel="f:Basic/f:language/@value">de</replace></diff>',
    'application/fhir+json': { resourceType: 'Parameters', parameter: [{ name: 'operation', part: values }] },
    'application/fhir+xml': `<Parameters xmlns="http://hl7.org/fhir"><parameter><name value="operation"/>${values
      .map(({ name, valueString }) => `<part><name value="${name}"/><valueString value="${valueString}"/></part>`)
      .join('')}</parameter></Parameters>`,
  }
  for (const format of declared.statement.format) {
    const { status, headers } = await declared.server.fhir('GET', `/Basic/m?_format=${encodeURIComponent(format)}`)
    expect([format, status, headers.get('content-type')]).toEqual([
      format,
      200,
      expect.stringContaining(format.replace(/.*\+/, '')),
    ])
  }
  for (const format of declared.statement.patchFormat ?? []) {
    const { status, text } = await declared.server.fhir('PATCH', '/Basic/m', patches[format], {
      'content-type': format,
    })
    expect([format, status, text]).toEqual([format, 200, expect.anything()])
  }
})

// The last one: it deletes.
test('every interaction of every type is carried out, conditional ones too', async () => {
  const calls = { ...INTERACTIONS, ...LAST }
  for (const { type, interaction = [], ...flags } of declared.types) {
    const codes = interaction.map(({ code }) => code)
    expect(codes.filter((code) => calls[code] === undefined)).toEqual([])
    const isDeclared = ([code]: readonly [string, Call]) => codes.some((one) => one === code)
    const conditional = Object.entries(FLAGS).filter(([flag]) => {
      const value = (flags as Readonly<Record<string, unknown>>)[flag]
      return value !== undefined && value !== false && value !== 'not-supported'
    })
    const all = [
      ...Object.entries(INTERACTIONS).filter(isDeclared),
      ...conditional,
      ...Object.entries(LAST).filter(isDeclared),
    ]
    expect(all.length).toBeGreaterThan(0)
    expect(await wrongly(all, type)).toEqual([])
  }
})
