/** Patient/$merge (https://hl7.org/fhir/R5/patient-operation-merge.html) and Patient/$unmerge, which takes it back. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Identifier, Parameters, Patient } from 'fhir/r4'
import type { ClinicAccess } from '../../src/core/context.ts'
import { openStore } from '../../src/main/open-store.ts'
import { patientMerge } from '../../src/operations/merge/patient-merge.ts'
import { specialProviders } from '../../src/providers/index.ts'
import type { ResourceStore } from '../../src/storage/port.ts'
import { newLastingDatabaseUrl, openTestStore } from '../support/database.ts'
import { randomRuns } from '../support/random-runs.ts'
import { type FhirResponse, startServer } from '../support/server.ts'
import { until } from '../support/server-process.ts'
import { logInAs, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

const BASE = 'http://emr.example'
const MRN = 'http://example.org/mrn'
const LIFECYCLE = 'http://terminology.hl7.org/CodeSystem/iso-21089-lifecycle'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics({ BASE_URL: BASE })
})
afterAll(() => clinics.server.close())

// biome-ignore lint/suspicious/noExplicitAny: assertions look into resources of every shape
type Resource = any

let number = 0
/** An id that no other test has. */
const newId = (prefix: string): string => {
  number += 1
  return `${prefix}-${number}`
}

async function put<R extends { resourceType: string; id: string }>(resource: R): Promise<R> {
  const { status, text } = await clinics.ours('PUT', `/${resource.resourceType}/${resource.id}`, resource)
  if (status !== 200 && status !== 201) throw new Error(text)
  return resource
}

const putPatient = (id: string, more: Partial<Patient> = {}) =>
  put({ resourceType: 'Patient', name: [{ family: 'Twofold' }], ...more, id })

/** Two Patients with new ids. */
async function newPair(source: Partial<Patient> = {}, target: Partial<Patient> = {}) {
  const [from, to] = [newId('source'), newId('target')]
  await putPatient(from, source)
  await putPatient(to, target)
  return { from, to }
}

const read = async (address: string): Promise<Resource> => {
  const { status, body, text } = await clinics.ours('GET', `/${address}`)
  if (status !== 200) throw new Error(text)
  return body
}

const inputValue = (value: unknown) => {
  if (typeof value === 'boolean') return { valueBoolean: value }
  if (typeof value === 'string') return { valueReference: { reference: value } }
  if (typeof value === 'object' && value !== null && 'resourceType' in value) return { resource: value }
  return { valueIdentifier: value }
}

const parametersOf = (input: Readonly<Record<string, unknown>>) => ({
  resourceType: 'Parameters',
  parameter: Object.entries(input).flatMap(([name, value]) =>
    [value].flat().map((one) => ({ name, ...inputValue(one) })),
  ),
})

const merge = (input: Readonly<Record<string, unknown>>, as = clinics.ours): Promise<FhirResponse> =>
  as('POST', '/Patient/$merge', parametersOf(input))

const mergePair = ({ from, to }: { from: string; to: string }, more: Readonly<Record<string, unknown>> = {}) =>
  merge({ 'source-patient': `Patient/${from}`, 'target-patient': `Patient/${to}`, ...more })

const unmerge = (id: string, more: Readonly<Record<string, unknown>> = {}, as = clinics.ours) =>
  as('POST', '/Patient/$unmerge', parametersOf({ 'source-patient': `Patient/${id}`, ...more }))

const part = ({ body }: FhirResponse, name: string): Resource =>
  (body as Parameters).parameter?.find((one) => one.name === name)?.resource

const said = (response: FhirResponse): string =>
  part(response, 'outcome')
    .issue.map(({ diagnostics }: Resource) => diagnostics)
    .join('\n')

const provenancesOf = async (id: string, activity: 'merge' | 'unmerge'): Promise<readonly Resource[]> => {
  const { body } = await clinics.ours('GET', `/Provenance?target=Patient/${id}`)
  const all = (body.entry ?? []).map(({ resource }: Resource) => resource)
  return all.filter(({ activity: { coding } }: Resource) => coding[0].code === activity)
}

/** Without the elements that change with every version. */
const content = ({ meta: { versionId: _version, lastUpdated: _time, ...meta }, ...resource }: Resource) => ({
  ...resource,
  meta,
})

const observation = (patient: string, more: object = {}) => ({
  resourceType: 'Observation' as const,
  id: newId('observation'),
  status: 'final',
  code: { text: 'x' },
  subject: { reference: patient },
  ...more,
})

describe('a merge', () => {
  test('links the two Patients, makes the source inactive, and gives its identifiers to the target as old ones', async () => {
    const identifier = { system: MRN, value: newId('mrn'), use: 'official' as const }
    const shared = { system: MRN, value: newId('mrn') }
    const pair = await newPair({ active: true, identifier: [identifier, shared] }, { identifier: [shared] })
    const response = await mergePair(pair)
    expect(response.status).toBe(200)
    expect(await read(`Patient/${pair.from}`)).toMatchObject({
      active: false,
      link: [{ other: { reference: `Patient/${pair.to}` }, type: 'replaced-by' }],
      meta: { versionId: '2' },
    })
    const target = await read(`Patient/${pair.to}`)
    expect(target).toMatchObject({
      identifier: [shared, { ...identifier, use: 'old' }],
      link: [{ other: { reference: `Patient/${pair.from}` }, type: 'replaces' }],
      meta: { versionId: '2' },
    })
    expect(part(response, 'result')).toEqual(target)
    expect(part(response, 'input').parameter).toEqual(
      parametersOf({ 'source-patient': `Patient/${pair.from}`, 'target-patient': `Patient/${pair.to}` }).parameter,
    )
    expect(part(response, 'task')).toBeUndefined()
  })

  test('moves references in any element: relative, absolute, contained, in extensions, without a search parameter', async () => {
    const { from, to } = await newPair()
    const { id } = await put(
      observation(`Patient/${from}`, {
        contained: [{ resourceType: 'RelatedPerson', id: 'r', patient: { reference: `Patient/${from}` } }],
        extension: [{ url: 'http://example.org/x', valueReference: { reference: `${BASE}/Patient/${from}` } }],
        note: [{ authorReference: { reference: `Patient/${from}`, display: 'herself' }, text: 'x' }],
        performer: [{ reference: '#r' }],
        valueQuantity: { value: 1 },
      }),
    )
    // Nothing but an element that no search parameter is about.
    const note = await put(
      observation('Group/g', { note: [{ authorReference: { reference: `Patient/${from}` }, text: 'x' }] }),
    )
    const response = await mergePair({ from, to })
    expect(response.status).toBe(200)
    expect(said(response)).toContain('2 resources (2 Observation)')
    expect(await read(`Observation/${id}`)).toMatchObject({
      contained: [{ patient: { reference: `Patient/${to}` } }],
      extension: [{ valueReference: { reference: `${BASE}/Patient/${to}` } }],
      note: [{ authorReference: { reference: `Patient/${to}`, display: 'herself' } }],
      subject: { reference: `Patient/${to}` },
      meta: { versionId: '2' },
    })
    expect((await read(`Observation/${note.id}`)).note[0].authorReference.reference).toBe(`Patient/${to}`)
  })

  test('leaves references that name a version, other Patients of which the id only begins alike, and other servers', async () => {
    const { from, to } = await newPair()
    await putPatient(`${from}-0`)
    const kept = [`Patient/${from}/_history/1`, `Patient/${from}-0`, `http://elsewhere.example/Patient/${from}`]
    const { id } = await put(observation(`Patient/${from}`, { focus: kept.map((reference) => ({ reference })) }))
    const response = await mergePair({ from, to })
    const moved = await read(`Observation/${id}`)
    expect(moved.subject.reference).toBe(`Patient/${to}`)
    expect(moved.focus.map(({ reference }: Resource) => reference)).toEqual(kept)
    expect(said(response)).toContain(`References in 1 resource name a version of Patient/${from} and stay`)
  })

  test('moves references of resources of several types with one id', async () => {
    const { from, to } = await newPair()
    const id = newId('same')
    await put(observation(`Patient/${from}`, { id }))
    await put({ resourceType: 'Basic', id, code: { text: 'x' }, subject: { reference: `Patient/${from}` } })
    expect((await mergePair({ from, to })).status).toBe(200)
    for (const type of ['Observation', 'Basic'])
      expect((await read(`${type}/${id}`)).subject.reference).toBe(`Patient/${to}`)
  })

  test('leaves a Bundle that is stored as it was', async () => {
    const { from, to } = await newPair()
    const entry = [{ fullUrl: `${BASE}/Patient/${from}`, resource: { resourceType: 'Patient', id: from } }]
    const about = { fullUrl: `${BASE}/Observation/1`, resource: { ...observation(`Patient/${from}`), id: '1' } }
    const { id } = await put({
      resourceType: 'Bundle',
      id: newId('bundle'),
      type: 'collection',
      entry: [...entry, about],
    })
    await mergePair({ from, to })
    expect((await read(`Bundle/${id}`)).meta.versionId).toBe('1')
  })

  test('keeps decimals as they were written', async () => {
    const { from, to } = await newPair()
    const text = JSON.stringify(observation(`Patient/${from}`, { id: 'decimal', valueQuantity: { value: 'X' } }))
    const { status } = await clinics.ours('PUT', '/Observation/decimal', text.replace('"X"', '1.50'))
    expect(status).toBe(201)
    await mergePair({ from, to })
    expect((await clinics.ours('GET', '/Observation/decimal')).text).toContain('"value":1.50')
  })

  test('moves an appointment of the past, and leaves its slot alone', async () => {
    const { from, to } = await newPair()
    const [slot] = (await clinics.ours('GET', '/Slot?status=free&_count=1')).body.entry
    const appointment = {
      resourceType: 'Appointment' as const,
      id: newId('appointment'),
      status: 'booked',
      start: slot.resource.start,
      end: slot.resource.end,
      slot: [{ reference: `Slot/${slot.resource.id}` }],
      participant: [{ actor: { reference: `Patient/${from}` }, status: 'accepted' }],
    }
    await put(appointment)
    for (const status of ['arrived', 'fulfilled']) await put({ ...appointment, status })
    const before = await read(`Slot/${slot.resource.id}`)
    expect((await mergePair({ from, to })).status).toBe(200)
    const moved = await read(`Appointment/${appointment.id}`)
    expect([moved.status, moved.participant[0].actor.reference]).toEqual(['fulfilled', `Patient/${to}`])
    expect(await read(`Slot/${slot.resource.id}`)).toEqual(before)
  })

  test('points a Patient that the source had replaced at the target', async () => {
    const first = await newPair()
    await mergePair(first)
    const last = newId('target')
    await putPatient(last)
    expect((await mergePair({ from: first.to, to: last })).status).toBe(200)
    expect((await read(`Patient/${first.from}`)).link).toEqual([
      { other: { reference: `Patient/${last}` }, type: 'replaced-by' },
    ])
  })

  test('replaces other links between the two', async () => {
    const { from, to } = await newPair()
    const link = [{ other: { reference: `Patient/${from}` }, type: 'seealso' as const }]
    await putPatient(to, { link })
    await mergePair({ from, to })
    expect((await read(`Patient/${to}`)).link).toEqual([{ other: { reference: `Patient/${from}` }, type: 'replaces' }])
  })

  test('records a Provenance of the versions that it made, with who asked for it', async () => {
    const { from, to } = await newPair()
    const { id } = await put(observation(`Patient/${from}`))
    await mergePair({ from, to })
    const [provenance, ...others] = await provenancesOf(from, 'merge')
    expect(others).toEqual([])
    expect(provenance).toMatchObject({
      target: [`Patient/${to}`, `Patient/${from}`, `Observation/${id}`].map((one) => ({
        reference: `${one}/_history/2`,
      })),
      activity: { coding: [{ system: LIFECYCLE, code: 'merge' }] },
      agent: [{ who: { identifier: { value: 'ours' } } }],
      entity: [
        { role: 'removal', what: { reference: `Patient/${from}/_history/1` } },
        { role: 'revision', what: { reference: `Patient/${to}/_history/1` } },
      ],
    })
  })

  test('leaves the source readable, and out of $match', async () => {
    const name = [{ family: 'Onlyhere', given: ['Una'] }]
    const { from, to } = await newPair({ name, birthDate: '1970-01-01' }, { name, birthDate: '1970-01-01' })
    await mergePair({ from, to })
    const { body } = await clinics.ours('POST', '/Patient/$match', {
      resourceType: 'Patient',
      name,
      birthDate: '1970-01-01',
    })
    expect(body.entry.map(({ resource }: Resource) => resource.id)).toEqual([to])
    expect((await clinics.ours('GET', `/Patient/${from}`)).status).toBe(200)
  })

  test('finds the Patients by identifiers, of which they must have all', async () => {
    const [a, b] = [{ system: MRN, value: newId('a,|$') }, { value: newId('b') }]
    const { from, to } = await newPair({ identifier: [a, b] }, {})
    await putPatient(newId('other'), { identifier: [b] })
    const response = await merge({ 'source-patient-identifier': [a, b], 'target-patient': `Patient/${to}` })
    expect(response.status).toBe(200)
    expect((await read(`Patient/${from}`)).active).toBe(false)
  })
})

describe('the contact data of a merged Patient', () => {
  const phone = (value: string, more: object = {}) => ({ system: 'phone' as const, value, ...more })
  const email = (value: string, more: object = {}) => ({ system: 'email' as const, value, ...more })
  const MASKED = {
    extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'masked' }],
  }
  const main = { line: ['1 Main St'], city: 'Troy', state: 'NY', postalCode: '12180' }
  const elm = { line: ['7 Elm Ave'], city: 'Troy', state: 'NY', postalCode: '12182' }

  type Contacts = Pick<Patient, 'telecom' | 'address' | 'identifier'>
  test.each<[string, Contacts, Contacts, Contacts]>([
    [
      'an e-mail that the target lacks',
      { telecom: [phone('+12125550100'), email('ann@example.com')] },
      { telecom: [phone('+12125550100')] },
      { telecom: [phone('+12125550100'), email('ann@example.com')] },
    ],
    [
      'all, where the target has none',
      { telecom: [phone('+12125550100')], address: [main] },
      {},
      { telecom: [phone('+12125550100')], address: [main] },
    ],
    [
      'those of the target, where the source has none',
      {},
      { telecom: [email('a@b.com')] },
      { telecom: [email('a@b.com')] },
    ],
    [
      'another phone behind those of the target, without its rank',
      { telecom: [phone('+12125550101', { rank: 1, use: 'mobile' })] },
      { telecom: [phone('+12125550100', { rank: 1 })] },
      { telecom: [phone('+12125550100', { rank: 1 }), phone('+12125550101', { use: 'mobile' })] },
    ],
    [
      'one phone in two spellings once',
      { telecom: [phone('(212) 555-0100')] },
      { telecom: [phone('+12125550100')] },
      { telecom: [phone('+12125550100')] },
    ],
    [
      'a phone with another extension twice',
      { telecom: [phone('+12125550100 ext. 7')] },
      { telecom: [phone('+12125550100')] },
      { telecom: [phone('+12125550100'), phone('+12125550100 ext. 7')] },
    ],
    [
      'what is no number as it is',
      { telecom: [phone('ask her son'), phone('none')] },
      { telecom: [phone('none')] },
      { telecom: [phone('none'), phone('ask her son')] },
    ],
    [
      'a fax beside the phone of the same number',
      { telecom: [{ system: 'fax', value: '+12125550100' }] },
      { telecom: [phone('+12125550100')] },
      { telecom: [phone('+12125550100'), { system: 'fax', value: '+12125550100' }] },
    ],
    [
      'one e-mail in two cases once',
      { telecom: [email('Ann@Example.com')] },
      { telecom: [email('ann@example.com')] },
      { telecom: [email('ann@example.com')] },
    ],
    [
      'a phone in use that the target has as an old one',
      { telecom: [phone('+12125550100')] },
      { telecom: [phone('+12125550100', { use: 'old' })] },
      { telecom: [phone('+12125550100', { use: 'old' }), phone('+12125550100')] },
    ],
    [
      'a phone once that the source has as an old one',
      { telecom: [phone('+12125550100', { use: 'old' })] },
      { telecom: [phone('+12125550100')] },
      { telecom: [phone('+12125550100')] },
    ],
    [
      'contact points without a value, each once',
      {
        telecom: [
          { system: 'phone', _value: MASKED },
          { system: 'email', _value: MASKED },
        ],
      } as Contacts,
      { telecom: [{ system: 'phone', _value: MASKED }] } as Contacts,
      {
        telecom: [
          { system: 'phone', _value: MASKED },
          { system: 'email', _value: MASKED },
        ],
      } as Contacts,
    ],
    ['two addresses', { address: [elm] }, { address: [main] }, { address: [main, elm] }],
    [
      'one address in other letters, as text and for another use once',
      { address: [{ ...main, line: ['1 MAIN ST.'], use: 'home' }, { text: '1 Main St, Troy, NY 12180' }] },
      { address: [main] },
      { address: [main] },
    ],
    [
      'an address without any of its parts',
      { address: [{ use: 'home', extension: MASKED.extension }] },
      { address: [main] },
      { address: [main, { use: 'home', extension: MASKED.extension }] },
    ],
    [
      'an identifier once that the target has as an old one',
      { identifier: [{ system: MRN, value: 'once', use: 'official' }] },
      { identifier: [{ system: MRN, value: 'once', use: 'old' }] },
      { identifier: [{ system: MRN, value: 'once', use: 'old' }] },
    ],
    [
      'an identifier without a value',
      { identifier: [{ system: MRN, _value: MASKED }] } as Contacts,
      { identifier: [{ system: MRN, use: 'temp' }] } as Contacts,
      {
        identifier: [
          { system: MRN, use: 'temp' },
          { system: MRN, _value: MASKED, use: 'old' },
        ],
      } as Contacts,
    ],
  ])('has %s, until the merge is taken back', async (_what, source, target, united) => {
    const pair = await newPair(source, target)
    const contactsOf = ({ telecom, address, identifier }: Resource): Contacts =>
      JSON.parse(JSON.stringify({ telecom, address, identifier }))
    const preview = await mergePair(pair, { preview: true })
    expect(contactsOf(part(preview, 'result'))).toEqual(united)
    expect((await mergePair(pair)).status).toBe(200)
    expect(contactsOf(await read(`Patient/${pair.to}`))).toEqual(united)
    expect(contactsOf(await read(`Patient/${pair.from}`))).toEqual(source)
    expect((await unmerge(pair.from)).status).toBe(200)
    expect(contactsOf(await read(`Patient/${pair.to}`))).toEqual(target)
  })

  test('added since then stays when the merge is taken back', async () => {
    const pair = await newPair({ telecom: [email('ann@example.com')] }, { telecom: [phone('+12125550100')] })
    await mergePair(pair)
    const merged = await read(`Patient/${pair.to}`)
    await putPatient(pair.to, { ...merged, telecom: [...merged.telecom, phone('+12125550177')] })
    expect((await unmerge(pair.from)).status).toBe(200)
    expect((await read(`Patient/${pair.to}`)).telecom).toEqual([phone('+12125550100'), phone('+12125550177')])
  })
})

describe('a preview', () => {
  test('says what would be, and writes nothing', async () => {
    const { from, to } = await newPair({ identifier: [{ system: MRN, value: newId('mrn') }] })
    const { id } = await put(observation(`Patient/${from}`))
    const response = await mergePair({ from, to }, { preview: true })
    expect(response.status).toBe(200)
    expect(said(response)).toBe(
      `Nothing was changed. The merge of Patient/${from} into Patient/${to} would change the references in 1 resource (1 Observation)`,
    )
    const result = part(response, 'result')
    expect(result.link).toEqual([{ other: { reference: `Patient/${from}` }, type: 'replaces' }])
    // "The returned Patient resource is a preview only and has not been committed."
    expect(result.meta).toBeUndefined()
    for (const address of [`Patient/${from}`, `Patient/${to}`, `Observation/${id}`])
      expect((await read(address)).meta.versionId).toBe('1')
    expect(await provenancesOf(from, 'merge')).toEqual([])
  })
})

describe('result-patient', () => {
  const resultFor = ({ from, to }: { from: string; to: string }, more: Partial<Patient> = {}): Patient => ({
    resourceType: 'Patient',
    id: to,
    name: [{ family: 'Result' }],
    link: [{ other: { reference: `Patient/${from}` }, type: 'replaces' }],
    ...more,
  })

  test('is stored as the target', async () => {
    const pair = await newPair({ identifier: [{ value: newId('x') }] })
    const response = await mergePair(pair, { 'result-patient': resultFor(pair) })
    expect(response.status).toBe(200)
    const { meta: _meta, ...stored } = await read(`Patient/${pair.to}`)
    expect(stored).toEqual(resultFor(pair))
  })

  test.each<[string, Partial<Patient>, number, string]>([
    ['without an id', { id: undefined }, 400, 'has no id'],
    ['with another id', { id: 'another' }, 400, "has the id 'another'; it must have that of the target"],
    ['with no link', { link: undefined }, 400, 'has no link to the source'],
    ['that is inactive', { active: false }, 400, 'is inactive'],
    ['that breaks a rule of R4', { gender: 'x' as never }, 422, 'Patient.gender'],
    ['of an older version', { meta: { versionId: '7' } }, 409, 'was made from version 7'],
  ])('%s is refused', async (_what, more, status, words) => {
    const pair = await newPair()
    const response = await mergePair(pair, { 'result-patient': resultFor(pair, more) })
    expect([response.status, response.body.resourceType]).toEqual([status, 'OperationOutcome'])
    expect(response.text).toContain(words)
    expect((await read(`Patient/${pair.from}`)).meta.versionId).toBe('1')
  })

  test('with a link of another type, or as replaced itself, is refused', async () => {
    const pair = await newPair()
    const seealso = [{ other: { reference: `Patient/${pair.from}` }, type: 'seealso' as const }]
    const replaced = [
      { other: { reference: `Patient/${pair.from}` }, type: 'replaces' as const },
      { other: { reference: 'Patient/x' }, type: 'replaced-by' as const },
    ]
    for (const link of [seealso, replaced]) {
      const { status, text } = await mergePair(pair, { 'result-patient': resultFor(pair, { link }) })
      expect([status, text]).toEqual([400, expect.stringContaining('result-patient has ')])
    }
  })

  test('has the identifiers by which the Patients were named', async () => {
    const identifier = { system: MRN, value: newId('mrn') }
    const pair = await newPair({ identifier: [identifier] })
    const input = { 'source-patient-identifier': identifier, 'target-patient': `Patient/${pair.to}` }
    const { status, text } = await merge({ ...input, 'result-patient': resultFor(pair) })
    expect([status, text]).toEqual([400, expect.stringContaining('lacks the identifier')])
    expect((await merge({ ...input, 'result-patient': resultFor(pair, { identifier: [identifier] }) })).status).toBe(
      200,
    )
  })
})

describe('what cannot be merged', () => {
  const REPLACED: Partial<Patient> = { link: [{ other: { reference: 'Patient/x' }, type: 'replaced-by' }] }
  const twice: Identifier = { system: MRN, value: 'twice' }
  beforeAll(async () => {
    await putPatient('known')
    await putPatient('replaced', REPLACED)
    await putPatient('inactive', { active: false })
    await putPatient('twice-1', { identifier: [twice] })
    await putPatient('twice-2', { identifier: [twice] })
    await putPatient('gone')
    await clinics.ours('DELETE', '/Patient/gone')
  })

  type Input = Readonly<Record<string, unknown>>
  const known = 'Patient/known'
  test.each<[string, Input, number, string, string]>([
    ['no source', { 'target-patient': known }, 400, 'source-patient', 'Give source-patient'],
    ['no target', { 'source-patient': known }, 400, 'target-patient', 'Give target-patient'],
    [
      'a source by reference and by identifier',
      { 'source-patient': known, 'source-patient-identifier': twice, 'target-patient': 'Patient/twice-1' },
      ...([400, 'source-patient', 'give one of them'] as const),
    ],
    [
      'an identifier without a value',
      { 'source-patient-identifier': { system: MRN }, 'target-patient': known },
      ...([400, 'source-patient', 'has no value'] as const),
    ],
    [
      'an identifier whose value is a number',
      { 'source-patient-identifier': { value: 5 }, 'target-patient': known },
      ...([400, 'source-patient', 'as text'] as const),
    ],
    ['another type', { 'source-patient': 'Group/1', 'target-patient': known }, 400, 'source-patient', 'Patient/<id>'],
    [
      'a version',
      { 'source-patient': 'Patient/inactive/_history/1', 'target-patient': known },
      ...([400, 'source-patient', 'without a version'] as const),
    ],
    [
      'nobody as source',
      { 'source-patient': 'Patient/no', 'target-patient': known },
      404,
      'source-patient',
      'Patient/no',
    ],
    [
      'nobody as target',
      { 'source-patient': known, 'target-patient': 'Patient/no' },
      404,
      'target-patient',
      'Patient/no',
    ],
    [
      'a deleted source',
      { 'source-patient': 'Patient/gone', 'target-patient': known },
      410,
      'source-patient',
      'deleted',
    ],
    [
      'an identifier that nobody has',
      { 'source-patient-identifier': { value: 'nobody' }, 'target-patient': known },
      ...([404, 'source-patient-identifier', 'no patient'] as const),
    ],
    [
      'an identifier that two have',
      { 'source-patient-identifier': twice, 'target-patient': known },
      ...([422, 'source-patient-identifier', '2 patients have the identifiers'] as const),
    ],
    [
      'one patient twice',
      { 'source-patient': known, 'target-patient': known },
      422,
      'source-patient',
      'name two patients',
    ],
    [
      'a source that was replaced',
      { 'source-patient': 'Patient/replaced', 'target-patient': known },
      ...([422, 'source-patient', 'replaced already'] as const),
    ],
    [
      'a target that was replaced',
      { 'source-patient': known, 'target-patient': 'Patient/replaced' },
      ...([422, 'target-patient', 'name the patient that replaces it'] as const),
    ],
    [
      'an inactive target',
      { 'source-patient': known, 'target-patient': 'Patient/inactive' },
      ...([422, 'target-patient', 'make it active'] as const),
    ],
  ])('%s is refused', async (_what, input, status, expression, words) => {
    const response = await merge(input)
    expect([response.status, response.body.resourceType]).toEqual([status, 'OperationOutcome'])
    expect(response.body.issue[0].expression).toContain(expression)
    expect(response.body.issue[0].diagnostics).toContain(words)
  })

  test('a reference that holds neither a reference nor an identifier is refused', async () => {
    const { status, text } = await clinics.ours('POST', '/Patient/$merge', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'source-patient', valueReference: { display: 'somebody' } },
        { name: 'target-patient', valueReference: { reference: known } },
      ],
    })
    expect([status, text]).toEqual([400, expect.stringContaining('neither a reference nor an identifier')])
  })

  test('a reference with an identifier that its Patient does not have is refused', async () => {
    const reference = { reference: known, identifier: { value: 'another' } }
    const { status } = await clinics.ours('POST', '/Patient/$merge', {
      resourceType: 'Parameters',
      parameter: [
        { name: 'source-patient', valueReference: reference },
        { name: 'target-patient', valueReference: { reference: 'Patient/twice-1' } },
      ],
    })
    expect(status).toBe(422)
  })
})

describe('who may merge', () => {
  test('staff and admins of the clinic may, operators may not', async () => {
    const server = clinics.server
    const as = async (role: 'admin' | 'operator') =>
      withToken(server, await logInAs(server, { username: `merge-${role}`, clinic: 'demo-clinic', role })).fhir
    const { from, to } = await newPair()
    const input = { 'source-patient': `Patient/${from}`, 'target-patient': `Patient/${to}`, preview: true }
    expect((await merge(input, await as('admin'))).status).toBe(200)
    const refused = await merge(input, await as('operator'))
    expect([refused.status, refused.body.issue[0].code]).toEqual([403, 'forbidden'])
  })

  test.each(['patient-merge', 'patient-unmerge'] as const)('%s is refused to a live call', async (name) => {
    const { app } = clinics.server
    const operation = specialProviders
      .find(({ type }) => type === 'Patient')
      ?.operations.find((one) => one.name === name)
    const access = app.access('demo-clinic', { kind: 'call', id: 'a-call' })
    await expect(operation?.handler({ access, input: {}, integrations: {} as never })).rejects.toMatchObject({
      status: 403,
    })
  })

  test('a Patient of another clinic is not found, and nothing of it is changed', async () => {
    const { from, to } = await newPair()
    const theirs = newId('theirs')
    await clinics.theirs('PUT', `/Patient/${theirs}`, {
      resourceType: 'Patient',
      id: theirs,
      identifier: [{ value: theirs }],
    })
    const about = await clinics.theirs('POST', '/Observation', observation(`Patient/${from}`))
    for (const input of [
      { 'source-patient': `Patient/${theirs}`, 'target-patient': `Patient/${to}` },
      { 'source-patient': `Patient/${from}`, 'target-patient': `Patient/${theirs}` },
      { 'source-patient-identifier': { value: theirs }, 'target-patient': `Patient/${to}` },
    ]) {
      expect((await merge(input)).status).toBe(404)
    }
    await mergePair({ from, to })
    expect((await clinics.theirs('GET', `/Observation/${about.body.id}`)).body.subject.reference).toBe(
      `Patient/${from}`,
    )
    expect((await clinics.theirs('GET', `/Patient/${theirs}`)).body.meta.versionId).toBe('1')
    expect((await unmerge(from, {}, clinics.theirs)).status).toBe(404)
  })

  test('the audit trail tells of both Patients', async () => {
    const server = clinics.server
    const token = await logInAs(server, { username: 'audit-admin', clinic: 'demo-clinic', role: 'admin' })
    const admin = withToken(server, token).fhir
    const [a, b] = [newId('mrn'), newId('mrn')]
    const { from, to } = await newPair({ identifier: [{ value: a }] }, { identifier: [{ value: b }] })
    await merge({ 'source-patient-identifier': { value: a }, 'target-patient-identifier': { value: b } })
    await unmerge(from)
    for (const id of [from, to]) {
      const { body } = await admin('GET', `/AuditEvent?patient=Patient/${id}&_count=100`)
      const text = JSON.stringify(body)
      expect([text.includes('$merge'), text.includes('$unmerge')]).toEqual([true, true])
    }
  })
})

describe('at the same time', () => {
  /** Runs the operation as staff, with `meanwhile` between its work and the first attempt to commit it. */
  async function mergeWith(meanwhile: () => Promise<unknown>, { from, to }: { from: string; to: string }) {
    const access = clinics.server.app.access('demo-clinic', { kind: 'user', id: 'x', name: 'x', role: 'staff' })
    let attempts = 0
    const change: ClinicAccess['change'] = (work) =>
      access.change(async (ctx) => {
        const result = await work(ctx)
        attempts += 1
        if (attempts === 1) await meanwhile()
        return result
      })
    const input = {
      'source-patient': { reference: `Patient/${from}` },
      'target-patient': { reference: `Patient/${to}` },
    }
    await patientMerge.handler({ access: { ...access, change }, input, integrations: {} as never })
    return attempts
  }

  test('a reference that is written before the merge is committed is moved too', async () => {
    const pair = await newPair()
    const late = observation(`Patient/${pair.from}`)
    expect(await mergeWith(() => put(late), pair)).toBe(2)
    expect((await read(`Observation/${late.id}`)).subject.reference).toBe(`Patient/${pair.to}`)
  })

  test('a change of a resource that refers to the source, or of one of the Patients, is not overwritten', async () => {
    const pair = await newPair()
    const about = await put(observation(`Patient/${pair.from}`))
    const change = async () => {
      await put({ ...about, issued: '2026-01-01T00:00:00Z' })
      await putPatient(pair.to, { gender: 'female' })
    }
    expect(await mergeWith(change, pair)).toBe(2)
    expect(await read(`Observation/${about.id}`)).toMatchObject({
      issued: '2026-01-01T00:00:00Z',
      subject: { reference: `Patient/${pair.to}` },
    })
    expect(await read(`Patient/${pair.to}`)).toMatchObject({ gender: 'female', link: [{ type: 'replaces' }] })
  })

  test('of two merges of one source one is done, and the other is refused', async () => {
    const { from, to } = await newPair()
    const other = newId('target')
    await putPatient(other)
    const statuses = await Promise.all([mergePair({ from, to }), mergePair({ from, to: other })])
    expect(statuses.map(({ status }) => status).toSorted()).toEqual([200, 422])
  })

  test('what others write meanwhile is not lost, and is moved too', async () => {
    const { from, to } = await newPair()
    const before = await put(observation(`Patient/${from}`))
    const during = Array.from({ length: 8 }, () => observation(`Patient/${from}`))
    await Promise.all([
      ...during.slice(0, 4).map(put),
      put({ ...before, issued: '2026-01-01T00:00:00Z' }),
      mergePair({ from, to }),
      ...during.slice(4).map(put),
    ])
    const { issued, subject } = await read(`Observation/${before.id}`)
    expect(issued).toBe('2026-01-01T00:00:00Z')
    // The write came before the merge, which then changed its reference; or after, and its reference stands.
    expect([`Patient/${from}`, `Patient/${to}`]).toContain(subject.reference)
    const [provenance] = await provenancesOf(from, 'merge')
    for (const { reference } of provenance.target) {
      if (reference.startsWith('Observation/')) expect((await read(reference)).subject.reference).toBe(`Patient/${to}`)
    }
  })
})

describe('an unmerge', () => {
  test('restores both Patients, moves the references back, and says so', async () => {
    const pair = await newPair(
      { active: true, identifier: [{ value: newId('x') }] },
      { identifier: [{ value: newId('y') }] },
    )
    const own = await put(observation(`Patient/${pair.to}`))
    const moved = await put(observation(`Patient/${pair.from}`, { performer: [{ reference: `Patient/${pair.to}` }] }))
    const addresses = [`Patient/${pair.from}`, `Patient/${pair.to}`, `Observation/${own.id}`, `Observation/${moved.id}`]
    const before = await Promise.all(addresses.map(read))
    await mergePair(pair)
    const preview = await unmerge(pair.from, { preview: true })
    expect([preview.status, said(preview)]).toEqual([200, expect.stringContaining('Nothing was changed')])
    const response = await unmerge(pair.from)
    expect(response.status).toBe(200)
    expect(said(response)).toContain('1 resource (1 Observation) were moved back')
    const after = await Promise.all(addresses.map(read))
    expect(after.map(content)).toEqual(before.map(content))
    expect(after.map(({ meta }) => meta.versionId)).toEqual(['3', '3', '1', '3'])
    expect([part(response, 'source'), part(response, 'target')]).toEqual(after.slice(0, 2))
    expect(await provenancesOf(pair.from, 'unmerge')).toHaveLength(1)
  })

  test('keeps what was changed otherwise since', async () => {
    const pair = await newPair({ identifier: [{ value: newId('x') }] }, { gender: 'male' })
    const appointment = {
      resourceType: 'Appointment' as const,
      id: newId('appointment'),
      status: 'proposed',
      participant: [
        { actor: { reference: `Patient/${pair.from}` }, status: 'needs-action' },
        { actor: { reference: `Patient/${pair.to}` }, status: 'needs-action' },
      ],
    }
    await put(appointment)
    const deleted = await put(observation(`Patient/${pair.from}`))
    await mergePair(pair)
    const target = await read(`Patient/${pair.to}`)
    await put({ ...target, gender: 'female', identifier: [...target.identifier, { value: 'since' }] })
    const changed = await read(`Appointment/${appointment.id}`)
    const [first, second] = changed.participant
    const added = { actor: { display: 'somebody' }, status: 'accepted' }
    await put({ ...changed, description: 'since', participant: [added, { ...first, status: 'accepted' }, second] })
    await clinics.ours('DELETE', `/Observation/${deleted.id}`)
    expect((await unmerge(pair.from)).status).toBe(200)
    expect(await read(`Patient/${pair.to}`)).toMatchObject({ gender: 'female', identifier: [{ value: 'since' }] })
    expect(await read(`Patient/${pair.to}`)).not.toHaveProperty('link')
    expect(await read(`Appointment/${appointment.id}`)).toMatchObject({
      description: 'since',
      participant: [
        added,
        { actor: { reference: `Patient/${pair.from}` }, status: 'accepted' },
        { actor: { reference: `Patient/${pair.to}` }, status: 'needs-action' },
      ],
    })
    expect((await clinics.ours('GET', `/Observation/${deleted.id}`)).status).toBe(410)
  })

  test('leaves references that were made to the target since', async () => {
    const pair = await newPair()
    await mergePair(pair)
    const { id } = await put(observation(`Patient/${pair.to}`))
    await unmerge(pair.from)
    expect((await read(`Observation/${id}`)).subject.reference).toBe(`Patient/${pair.to}`)
  })

  test('takes back the last merge of a Patient that was merged twice', async () => {
    const pair = await newPair()
    const { id } = await put(observation(`Patient/${pair.from}`))
    const other = newId('target')
    await putPatient(other)
    await mergePair(pair)
    await unmerge(pair.from)
    await mergePair({ from: pair.from, to: other })
    expect((await read(`Observation/${id}`)).subject.reference).toBe(`Patient/${other}`)
    expect((await unmerge(pair.from)).status).toBe(200)
    expect((await read(`Observation/${id}`)).subject.reference).toBe(`Patient/${pair.from}`)
  })

  test('of a chain of merges takes the last one first', async () => {
    const pair = await newPair()
    const { id } = await put(observation(`Patient/${pair.from}`))
    const last = newId('target')
    await putPatient(last)
    await mergePair(pair)
    await mergePair({ from: pair.to, to: last })
    const refused = await unmerge(pair.from)
    expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([
      409,
      expect.stringContaining('take that merge back first'),
    ])
    await unmerge(pair.to)
    expect((await unmerge(pair.from)).status).toBe(200)
    expect((await read(`Observation/${id}`)).subject.reference).toBe(`Patient/${pair.from}`)
    expect(await read(`Patient/${pair.from}`)).not.toHaveProperty('link')
  })

  test('is refused while the target is deleted', async () => {
    const pair = await newPair()
    await mergePair(pair)
    const target = await read(`Patient/${pair.to}`)
    await clinics.ours('DELETE', `/Patient/${pair.to}`)
    const refused = await unmerge(pair.from)
    expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([
      409,
      expect.stringContaining('restore it first'),
    ])
    await put(target)
    expect((await unmerge(pair.from)).status).toBe(200)
  })

  test('is called on the source itself too, and then heeds If-Match', async () => {
    const pair = await newPair()
    await mergePair(pair)
    const onSource = (version: number, body?: object) =>
      clinics.ours('POST', `/Patient/${pair.from}/$unmerge`, body, { 'if-match': `W/"${version}"` })
    const stale = await onSource(1)
    expect([stale.status, stale.body.issue[0].diagnostics]).toEqual([412, expect.stringContaining('has version 2')])
    const another = await onSource(2, parametersOf({ 'source-patient': `Patient/${pair.to}` }))
    expect([another.status, another.body.issue[0].expression]).toEqual([400, ['source-patient']])
    expect((await onSource(2)).status).toBe(200)
    // Merged and unmerged by others since, so the version has changed.
    await mergePair(pair)
    expect((await onSource(2)).status).toBe(412)
    expect((await read(`Patient/${pair.from}`)).active).toBe(false)
  })

  test('without a source is refused, with what would be right', async () => {
    const { status, body } = await clinics.ours('POST', '/Patient/$unmerge', parametersOf({}))
    expect([status, body.issue[0].diagnostics]).toEqual([400, expect.stringContaining('Give source-patient')])
  })

  test('of a Patient that was not merged, or by other means, is refused', async () => {
    const { from, to } = await newPair()
    const never = await unmerge(from)
    expect([never.status, never.body.issue[0].diagnostics]).toEqual([422, expect.stringContaining('is not replaced')])
    await putPatient(from, { link: [{ other: { reference: `Patient/${to}` }, type: 'replaced-by' }] })
    const byHand = await unmerge(from)
    expect([byHand.status, byHand.body.issue[0].diagnostics]).toEqual([422, expect.stringContaining('No Provenance')])
  })
})

/** As an older version of the server might have stored it: without a code, which R4 demands. */
async function writeBroken(store: ResourceStore, patientId: string): Promise<void> {
  const resource = {
    resourceType: 'Observation',
    id: 'broken',
    status: 'final',
    subject: { reference: `Patient/${patientId}` },
  }
  const version = { type: 'Observation', id: 'broken', version: 1, lastUpdated: 0, method: 'POST' } as const
  const changed = { ...version, text: JSON.stringify(resource), expect: 0, entries: [] }
  await store.write({ clinic: 'demo-clinic', resources: [changed], records: [], guards: [] })
}

test('a merge in one change is refused as a whole when a resource that refers to the source breaks a rule of R4', async () => {
  const store = await openTestStore()
  const server = await startServer({}, { store })
  try {
    for (const id of ['a', 'b']) await server.fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id })
    await writeBroken(store, 'a')
    const { status, body } = await merge({ 'source-patient': 'Patient/a', 'target-patient': 'Patient/b' }, server.fhir)
    expect([status, body.issue[0].diagnostics]).toEqual([422, expect.stringContaining('Observation/broken refers to')])
    expect((await server.fhir('GET', '/Patient/a')).body.meta.versionId).toBe('1')
  } finally {
    await server.close()
  }
})

describe('a merge of more than one change may hold', () => {
  const COUNT = 1_100

  test('goes on in the background, also after a restart, with a Task, and can be taken back', async () => {
    const env = { BASE_URL: BASE, DATABASE_URL: await newLastingDatabaseUrl() }
    let server = await startServer(env)
    try {
      const { from, to } = { from: 'large-source', to: 'large-target' }
      for (const id of [from, to, 'elsewhere'])
        await server.fhir('PUT', `/Patient/${id}`, { resourceType: 'Patient', id })
      for (let begin = 0; begin < COUNT; begin += 550) {
        const entry = Array.from({ length: 550 }, () => {
          const resource = observation(`Patient/${from}`)
          return { resource, request: { method: 'PUT', url: `Observation/${resource.id}` } }
        })
        const { status } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
        expect(status).toBe(200)
      }
      const total = async (id: string): Promise<number> =>
        (await server.fhir('GET', `/Observation?subject=Patient/${id}&_summary=count`)).body.total
      const finished = async (task: Resource): Promise<Resource> => {
        const current = async () => (await server.fhir('GET', `/Task/${task.id}`)).body
        await until(async () => (await current()).status === 'completed')
        return await current()
      }
      const pair = { 'source-patient': `Patient/${from}`, 'target-patient': `Patient/${to}` }

      const preview = await merge({ ...pair, preview: true }, server.fhir)
      expect([preview.status, said(preview)]).toEqual([200, expect.stringContaining('at least 1000 resources')])
      const merged = await merge(pair, server.fhir)
      expect([merged.status, part(merged, 'task').status]).toEqual([202, 'in-progress'])
      const refused = await unmerge(from, {}, server.fhir)
      expect([refused.status, refused.text]).toEqual([409, expect.stringContaining(part(merged, 'task').id)])
      const onward = { 'source-patient': `Patient/${to}`, 'target-patient': 'Patient/elsewhere' }
      const held = await merge(onward, server.fhir)
      expect([held.status, held.text]).toEqual([409, expect.stringContaining(part(merged, 'task').id)])
      await server.close()
      const store = await openStore(env.DATABASE_URL)
      await writeBroken(store, from)
      await store.close()
      server = await startServer(env)
      const task = await finished(part(merged, 'task'))
      expect(task.output).toEqual([
        { type: { text: 'resources-changed' }, valueInteger: COUNT },
        { type: { text: 'resource-that-could-not-be-changed' }, valueString: 'Observation/broken' },
      ])
      expect([await total(from), await total(to)]).toEqual([0, COUNT])

      const unmerged = await unmerge(from, {}, server.fhir)
      expect(unmerged.status).toBe(202)
      await finished(part(unmerged, 'task'))
      expect([await total(from), await total(to)]).toEqual([COUNT, 0])
      expect((await merge({ ...pair, preview: true }, server.fhir)).status).toBe(200)
    } finally {
      await server.close()
    }
  })
})

describe('a merge that is taken back', () => {
  /** The targets of the references of a resource: the source, the target, another patient. */
  const who = fc.constantFrom('source', 'target', 'other')
  const graph = fc.array(fc.array(who, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 6 })

  test('leaves every reference as it was, and in between none to the source', async () => {
    await fc.assert(
      fc.asyncProperty(graph, async (resources) => {
        const { from, to } = await newPair()
        const referenceTo = { source: `Patient/${from}`, target: `Patient/${to}`, other: 'Patient/somebody' } as const
        const addresses: string[] = []
        for (const [first = 'other', ...others] of resources) {
          const { id } = await put(
            observation(referenceTo[first], {
              focus: others.map((one) => ({ reference: referenceTo[one] })),
              note: others.map((one) => ({ authorReference: { reference: referenceTo[one] }, text: 'x' })),
              ...(others.length === 0 ? { focus: undefined, note: undefined } : {}),
            }),
          )
          addresses.push(`Observation/${id}`)
        }
        const all = [...addresses, `Patient/${from}`, `Patient/${to}`]
        const before = await Promise.all(all.map(read))
        expect((await mergePair({ from, to })).status).toBe(200)
        expect(JSON.stringify(await Promise.all(addresses.map(read)))).not.toContain(`"Patient/${from}"`)
        expect((await unmerge(from)).status).toBe(200)
        expect((await Promise.all(all.map(read))).map(content)).toEqual(before.map(content))
      }),
      { numRuns: randomRuns(25) },
    )
  })
})
