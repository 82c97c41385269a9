/** Search parameters that a clinic adds at run time: https://hl7.org/fhir/R4/searchparameter.html. */
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { FhirResponse } from '../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
})
afterAll(() => clinics.server.close())

const EYES = 'http://example.org/eyes'

/** An active parameter of Patients by an extension, unless something else is said. */
const parameter = (code: string, more: Record<string, unknown> = {}) => ({
  resourceType: 'SearchParameter',
  url: `http://example.org/SearchParameter/${code}`,
  name: code.replaceAll('-', '_'),
  status: 'active',
  description: 'A parameter of this clinic',
  code,
  base: ['Patient'],
  type: 'token',
  expression: `Patient.extension('${EYES}').value`,
  ...more,
})

const patient = (family: string, eyes: string, more: Record<string, unknown> = {}) => ({
  resourceType: 'Patient',
  name: [{ family }],
  extension: [{ url: EYES, valueCode: eyes }],
  ...more,
})

type Send = TwoClinics['ours']

async function written(send: Send, resource: { readonly resourceType: string }): Promise<string> {
  const { status, body } = await send('POST', `/${resource.resourceType}`, resource)
  expect([status, body.issue]).toEqual([201, undefined])
  return body.id
}

/** The answer once it is no 503. */
async function settled(send: Send, path: string): Promise<FhirResponse> {
  for (const deadline = Date.now() + 30_000; ; await sleep(50)) {
    const answer = await send('GET', path)
    if (answer.status !== 503 || Date.now() > deadline) return answer
  }
}

const idsIn = ({ body }: FhirResponse): readonly string[] =>
  (body.entry ?? []).map(({ resource }: { resource: { id: string } }) => resource.id).sort()

const found = async (send: Send, path: string): Promise<readonly string[]> => {
  const answer = await settled(send, path)
  expect([answer.status, answer.body.issue]).toEqual([200, undefined])
  return idsIn(answer)
}

const diagnosticsOf = ({ body }: FhirResponse): string => body.issue?.[0]?.diagnostics ?? ''

describe('a parameter that a clinic adds', () => {
  test('finds what was stored before it and after it, and is answered 503 until all is indexed', async () => {
    const { ours } = clinics
    const before = await written(ours, patient('Before', 'green'))
    expect((await ours('GET', '/Patient?eye-color=green')).status).toBe(400)
    await written(ours, parameter('eye-color'))
    const early = await ours('GET', '/Patient?eye-color=green')
    expect(early.status).toBe(503)
    expect(early.headers.get('retry-after')).toBe('2')
    expect(early.body).toMatchObject({ resourceType: 'OperationOutcome', issue: [{ code: 'transient' }] })
    expect(diagnosticsOf(early)).toMatch(/Patient\?eye-color.*\$reindex-status/)
    const after = await written(ours, patient('After', 'green'))
    await written(ours, patient('Other', 'brown'))
    expect(await found(ours, '/Patient?eye-color=green')).toEqual([before, after].sort())
  })

  test('can be used by modifiers, several values, _sort, _has, chains and conditions', async () => {
    const { ours } = clinics
    const [blue] = [await written(ours, patient('Blue', 'blue'))]
    const reference = { reference: `Patient/${blue}` }
    const code = { text: 'x' }
    const observation = await written(ours, {
      ...{ resourceType: 'Observation', status: 'final', code, subject: reference },
    } as { resourceType: string })
    expect(await found(ours, '/Patient?eye-color=blue,violet')).toEqual([blue])
    expect(await found(ours, '/Observation?subject:Patient.eye-color=blue')).toEqual([observation])
    expect(await found(ours, '/Observation?subject.eye-color=blue')).toEqual([observation])
    expect((await ours('GET', '/Patient?eye-color:missing=false&_sort=eye-color')).body.entry[0].resource.id).toBe(blue)
    const conditional = await ours('POST', '/Patient', patient('Nobody', 'blue'), {
      'if-none-exist': 'eye-color=blue',
    })
    expect([conditional.status, conditional.body.id]).toEqual([200, blue])
    const [updated] = [await ours('PUT', '/Patient?eye-color=blue', patient('Bluer', 'blue'))]
    expect([updated.status, updated.body.id]).toEqual([200, blue])
  })

  test('is not there in another clinic, which may define the same code otherwise', async () => {
    const { ours, theirs } = clinics
    expect((await theirs('GET', '/Patient?eye-color=green')).status).toBe(400)
    const green = await written(theirs, patient('Green', 'green'))
    await written(theirs, parameter('eye-color', { type: 'string', expression: 'Patient.name.family' }))
    expect(await found(theirs, '/Patient?eye-color=gre')).toEqual([green])
    expect(await found(theirs, '/Patient?eye-color=brown')).toEqual([])
    expect(await found(ours, '/Patient?eye-color=gre')).toEqual([])
  })

  test('of references leads chains, _include, _revinclude and _has', async () => {
    const { ours } = clinics
    const organization = await written(ours, { resourceType: 'Organization', name: 'Lenses' } as {
      resourceType: string
    })
    const valueReference = { reference: `Organization/${organization}` }
    const OPTICIAN = 'http://example.org/optician'
    const seen = await written(ours, {
      ...{ resourceType: 'Patient', extension: [{ url: OPTICIAN, valueReference }] },
    } as { resourceType: string })
    await written(
      ours,
      parameter('optician', {
        ...{ type: 'reference', target: ['Organization'], expression: `Patient.extension('${OPTICIAN}').value` },
      }),
    )
    expect(await found(ours, `/Patient?optician=Organization/${organization}`)).toEqual([seen])
    expect(await found(ours, '/Patient?optician.name=lens')).toEqual([seen])
    expect(await found(ours, `/Patient?_id=${seen}&_include=Patient:optician`)).toEqual([organization, seen].sort())
    expect(await found(ours, `/Patient?_id=${seen}&_include=Patient:*`)).toEqual([organization, seen].sort())
    expect(await found(ours, `/Organization?_id=${organization}&_revinclude=Patient:optician`)).toEqual(
      [organization, seen].sort(),
    )
    expect(await found(ours, `/Organization?_has:Patient:optician:_id=${seen}`)).toEqual([organization])
  })
})
