/** A repeated search gives the current result, whichever client has changed its matches. */
import { setTimeout as pause } from 'node:timers/promises'
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Bundle, FhirResource, Medication, MedicationRequest, Patient } from 'fhir/r4'
import type { TestServer } from '../../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let clinics: TwoClinics
beforeEach(async () => {
  clinics = await startTwoClinics()
  await put(patient('one', 'Okafor'))
  await put(patient('two', 'Okafor'))
  await put(observation('first', 'one'))
})
afterEach(() => clinics.server.close())

const patient = (id: string, family: string): Patient => ({ resourceType: 'Patient', id, name: [{ family }] })
const observation = (id: string, of: string): FhirResource => ({
  resourceType: 'Observation',
  id,
  status: 'final',
  code: { text: 'Weight' },
  subject: { reference: `Patient/${of}` },
})

type Send = TestServer['fhir']

async function put(resource: FhirResource, send: Send = clinics.ours): Promise<void> {
  const { status } = await send('PUT', `/${resource.resourceType}/${resource.id}`, resource)
  expect([200, 201]).toContain(status)
}

const remove = (address: string) => clinics.ours('DELETE', `/${address}`)

/** While resources are indexed by a new parameter, searches get 503. */
async function answered(path: string, send: Send): ReturnType<Send> {
  for (;;) {
    const answer = await send('GET', path)
    if (answer.status !== 503) return answer
    await pause(20)
  }
}

/** Searches twice, so that the second response may come from a cache: ids of the matches, included ones with a `+`. */
async function found(path: string, send: Send = clinics.ours): Promise<readonly string[]> {
  const answers: (readonly string[])[] = []
  for (let time = 0; time < 2; time += 1) {
    const { status, body } = await answered(path, send)
    expect(status).toBe(200)
    const { entry = [] } = body as Bundle
    answers.push(entry.map(({ resource, search }) => `${search?.mode === 'include' ? '+' : ''}${resource?.id}`).sort())
  }
  expect(answers[1]).toEqual(answers[0])
  return answers[0] ?? []
}

describe('a search that was answered before', () => {
  test('finds what was created, changed and deleted since, and counts it', async () => {
    const path = '/Patient?family=Okafor&_total=accurate'
    const total = async () => ((await clinics.ours('GET', path)).body as Bundle).total
    expect([await found(path), await total()]).toEqual([['one', 'two'], 2])
    await put(patient('three', 'Okafor'))
    expect([await found(path), await total()]).toEqual([['one', 'three', 'two'], 3])
    await put(patient('one', 'Adeyemi'))
    expect([await found(path), await total()]).toEqual([['three', 'two'], 2])
    await remove('Patient/two')
    expect([await found(path), await total()]).toEqual([['three'], 1])
  })

  test('shows the version of now', async () => {
    const path = '/Patient?_id=one'
    const genderOf = async () =>
      ((await clinics.ours('GET', path)).body as Bundle<Patient>).entry?.[0]?.resource?.gender
    await found(path)
    await put({ ...patient('one', 'Okafor'), gender: 'female' })
    expect(await genderOf()).toBe('female')
    await clinics.ours('PATCH', '/Patient/one', [{ op: 'replace', path: '/gender', value: 'other' }], {
      'content-type': 'application/json-patch+json',
    })
    expect(await genderOf()).toBe('other')
  })

  test('by a chain, a reverse chain or an include follows changes of the other type', async () => {
    const chain = '/Observation?subject:Patient.family=Okafor'
    const reverse = '/Patient?_has:Observation:subject:status=final'
    const include = '/Observation?status=final&_include=Observation:subject'
    const revinclude = '/Patient?_id=one,two&_revinclude=Observation:subject'
    expect(await found(chain)).toEqual(['first'])
    expect(await found(reverse)).toEqual(['one'])
    expect(await found(include)).toEqual(['+one', 'first'])
    expect(await found(revinclude)).toEqual(['+first', 'one', 'two'])
    await put(patient('one', 'Adeyemi'))
    await put(observation('second', 'two'))
    expect(await found(chain)).toEqual(['second'])
    expect(await found(reverse)).toEqual(['one', 'two'])
    expect(await found(include)).toEqual(['+one', '+two', 'first', 'second'])
    expect(await found(revinclude)).toEqual(['+first', '+second', 'one', 'two'])
    await remove('Observation/first')
    expect(await found(reverse)).toEqual(['two'])
    expect(await found(include)).toEqual(['+two', 'second'])
    expect(await found(revinclude)).toEqual(['+second', 'one', 'two'])
  })

  test('for what resources contain follows changes of those around it', async () => {
    const request = (status: Medication['status']): MedicationRequest => ({
      resourceType: 'MedicationRequest',
      id: 'around',
      status: 'active',
      intent: 'order',
      subject: { reference: 'Patient/one' },
      contained: [{ resourceType: 'Medication', id: 'inner', status } as Medication],
      medicationReference: { reference: '#inner' },
    })
    const path = '/Medication?status=active&_contained=true'
    await put(request('active'))
    expect(await found(path)).toHaveLength(1)
    await put(request('inactive'))
    expect(await found(path)).toEqual([])
  })

  test('negated, follows changes too', async () => {
    expect(await found('/Patient?_id=one,two&family:missing=true')).toEqual([])
    await put({ resourceType: 'Patient', id: 'two' })
    expect(await found('/Patient?_id=one,two&family:missing=true')).toEqual(['two'])
  })

  test('by a value set follows changes of its codes', async () => {
    const codes = (...code: readonly string[]): FhirResource => ({
      resourceType: 'ValueSet',
      id: 'kinds',
      url: 'http://example.org/kinds',
      status: 'active',
      compose: { include: [{ system: 'http://example.org/kind', concept: code.map((one) => ({ code: one })) }] },
    })
    const coded = (id: string, code: string): FhirResource => ({
      resourceType: 'Observation',
      id,
      status: 'final',
      code: { coding: [{ system: 'http://example.org/kind', code }] },
    })
    await put(codes('a'))
    await put(coded('of-a', 'a'))
    await put(coded('of-b', 'b'))
    const path = '/Observation?code:in=http://example.org/kinds'
    expect(await found(path)).toEqual(['of-a'])
    await put(codes('b'))
    expect(await found(path)).toEqual(['of-b'])
  })

  test('by a parameter of the clinic follows that', async () => {
    const parameter = (expression: string): FhirResource => ({
      resourceType: 'SearchParameter',
      id: 'nickname',
      url: 'http://example.org/nickname',
      name: 'nickname',
      description: 'A name',
      status: 'active',
      code: 'nickname',
      base: ['Patient'],
      type: 'string',
      expression,
    })
    await put(parameter('Patient.name.family'))
    await put({ resourceType: 'Patient', id: 'three', name: [{ family: 'Moss', text: 'Rock' }] })
    expect(await found('/Patient?nickname=Moss')).toEqual(['three'])
    await put(parameter('Patient.name.text'))
    expect(await found('/Patient?nickname=Moss')).toEqual([])
    expect(await found('/Patient?nickname=Rock')).toEqual(['three'])
  })

  test('is asked anew by who wants other elements, another page or another format', async () => {
    const path = '/Patient?_id=one'
    await found(path)
    const { body } = await clinics.ours('GET', `${path}&_elements=id`)
    expect((body as Bundle<Patient>).entry?.[0]?.resource?.name).toBeUndefined()
    const { text } = await clinics.ours('GET', path, undefined, { accept: 'application/fhir+xml' })
    expect(text).toContain('<family value="Okafor"/>')
    const first = (await clinics.ours('GET', '/Patient?family=Okafor&_count=1')).body as Bundle
    const next = first.link?.find(({ relation }) => relation === 'next')?.url ?? ''
    const second = (await clinics.ours('GET', next.slice(clinics.server.url.length))).body as Bundle
    expect([first, second].map(({ entry }) => entry?.length)).toEqual([1, 1])
    expect(second.entry?.[0]?.resource?.id).not.toBe(first.entry?.[0]?.resource?.id)
  })

  test('tells each clinic of its own', async () => {
    const path = '/Patient?family=Okafor'
    expect(await found(path)).toEqual(['one', 'two'])
    expect(await found(path, clinics.theirs)).toEqual([])
    await put(patient('theirs', 'Okafor'), clinics.theirs)
    expect(await found(path, clinics.theirs)).toEqual(['theirs'])
    expect(await found(path)).toEqual(['one', 'two'])
  })

  test('within a Bundle is answered as the Bundle has left it', async () => {
    const path = 'Patient?family=Okafor'
    await found(`/${path}`)
    const resource = patient('three', 'Okafor')
    for (const type of ['transaction', 'batch'] as const) {
      const { body } = await clinics.ours('POST', '/', {
        resourceType: 'Bundle',
        type,
        entry: [
          { request: { method: 'GET', url: path } },
          { request: { method: 'PUT', url: `Patient/${type}` }, resource: { ...resource, id: type } },
        ],
      })
      const found = (body as Bundle<Bundle>).entry?.[0]?.resource
      expect(found?.entry?.map((one) => one.resource?.id)).toContain(type)
    }
  })
})
