/** DocumentReference/$docref: https://hl7.org/fhir/us/core/OperationDefinition-docref.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

const LOINC = 'http://loinc.org'
const PROFILE = 'http://hl7.org/fhir/us/core/StructureDefinition/us-core-documentreference'

let clinics: TwoClinics
let patient: string
beforeAll(async () => {
  clinics = await startTwoClinics()
  patient = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient' })).body.id
  const other = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient' })).body.id
  await put('ccd', '34133-9', '2026-01-10T08:00:00Z', ['2026-01-10T08:00:00Z', '2026-01-10T09:00:00Z'])
  await put('progress', '11506-3', '2026-02-10T08:00:00Z', ['2026-02-10T08:00:00Z', '2026-02-12T08:00:00Z'])
  await put('undated', '11506-3', '2026-03-10T08:00:00Z', undefined, { meta: { profile: [PROFILE] } })
  await put('old', '34133-9', '2026-01-01T08:00:00Z', undefined, { status: 'superseded' })
  await put('others', '34133-9', '2026-01-01T08:00:00Z', undefined, { subject: { reference: `Patient/${other}` } })
})
afterAll(() => clinics.server.close())

const put = (id: string, code: string, date: string, period?: readonly [string, string], more: object = {}) =>
  clinics.ours('PUT', `/DocumentReference/${id}`, {
    resourceType: 'DocumentReference',
    id,
    status: 'current',
    type: { coding: [{ system: LOINC, code }] },
    subject: { reference: `Patient/${patient}` },
    date,
    content: [{ attachment: { contentType: 'text/plain', data: 'U2Vlbg==' } }],
    ...(period && { context: { period: { start: period[0], end: period[1] } } }),
    ...more,
  })

interface Found {
  readonly entry?: readonly { readonly resource: { readonly id: string } }[]
}
const idsOf = ({ entry = [] }: Found) => entry.map(({ resource }) => resource.id)
const get = (query: string) => clinics.ours('GET', `/DocumentReference/$docref?${query}`)
const post = (parameter: readonly object[]) =>
  clinics.ours('POST', '/DocumentReference/$docref', { resourceType: 'Parameters', parameter })

describe('GET', () => {
  test.each<[string, string, readonly string[]]>([
    ['no more than the patient: what is current, newest first', '', ['undated', 'progress', 'ccd']],
    ['a type', `&type=${LOINC}|34133-9`, ['ccd']],
    ['a type without its system', '&type=34133-9', ['ccd']],
    ['several types', `&type=${LOINC}|34133-9&type=${LOINC}|11506-3`, ['undated', 'progress', 'ccd']],
    ['a start', '&start=2026-02-01T00:00:00Z', ['progress']],
    ['an end', '&end=2026-02-01T00:00:00Z', ['ccd']],
    ['a start within the care', '&start=2026-02-11T00:00:00Z&end=2026-02-11T12:00:00Z', ['progress']],
    ['dates without documents', '&start=2027-01-01', []],
    ['a profile', `&profile=${PROFILE}`, ['undated']],
    ['documents on demand, of which there are none', '&on-demand=true', []],
    ['stored and generated documents', '&on-demand=false', ['undated', 'progress', 'ccd']],
  ])('with %s', async (_name, more, ids) => {
    const { status, body } = await get(`patient=${patient}${more}`)
    expect([status, body.resourceType, body.type]).toEqual([200, 'Bundle', 'searchset'])
    const matches = (body.entry ?? []).filter(({ search }: { search: { mode: string } }) => search.mode === 'match')
    expect([idsOf({ entry: matches }), body.total]).toEqual([ids, ids.length])
  })

  test('page after page', async () => {
    const first = (await get(`patient=${patient}&_count=2`)).body
    expect([idsOf(first), first.total]).toEqual([['undated', 'progress'], 3])
    const { url } = first.link.find(({ relation }: { relation: string }) => relation === 'next')
    const { body } = await clinics.ours('GET', new URL(url).pathname.concat(new URL(url).search))
    expect(idsOf(body)).toEqual(['ccd'])
  })

  test.each([
    ['no patient', '', 'patient'],
    ['a reference in place of the id', 'patient=Patient/1', 'patient'],
    ['a start that is no date', 'patient=x&start=yesterday', 'start'],
    ['a parameter that there is not', 'patient=x&kind=y', 'kind'],
    ['a count of nothing', 'patient=x&_count=0', '_count'],
  ])('%s is 400 that names the parameter', async (_name, query, parameter) => {
    const { status, body } = await get(query)
    expect([status, body.issue[0].diagnostics]).toEqual([400, expect.stringContaining(parameter)])
  })

  test('a patient who does not exist, and one of another clinic, have an empty Bundle', async () => {
    for (const { status, body } of [
      await get('patient=nobody'),
      await clinics.theirs('GET', `/DocumentReference/$docref?patient=${patient}`),
    ])
      expect([status, body.type, body.total, body.entry]).toEqual([200, 'searchset', 0, undefined])
  })
})

describe('POST', () => {
  test('takes Parameters', async () => {
    const type = { name: 'type', valueCoding: { system: LOINC, code: '34133-9' } }
    const { status, body } = await post([{ name: 'patient', valueId: patient }, type])
    expect([status, idsOf(body)]).toEqual([200, ['ccd']])
  })

  test('takes the type as the CodeableConcept that it was before', async () => {
    const type = { name: 'type', valueCodeableConcept: { coding: [{ system: LOINC, code: '34133-9' }] } }
    const { status, body } = await post([{ name: 'patient', valueId: patient }, type])
    expect([status, idsOf(body)]).toEqual([200, ['ccd']])
  })

  test('a Coding without a code is 400', async () => {
    const parameters = [
      { name: 'patient', valueId: patient },
      { name: 'type', valueCoding: { system: LOINC } },
    ]
    expect((await post(parameters)).status).toBe(400)
  })
})
