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

/** An active parameter of Patients by an extension, unless `more` says otherwise. */
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

/** The response, once it is not 503 any more. */
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
  test('finds what was stored before it and after it', async () => {
    const { ours } = clinics
    const before = await written(ours, patient('Before', 'green'))
    expect((await ours('GET', '/Patient?eye-color=green')).status).toBe(400)
    await written(ours, parameter('eye-color'))
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
    expect(await found(ours, '/Patient?_filter=eye-color eq blue')).toEqual([blue])
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
    expect((await theirs('GET', '/$reindex-status')).body).toEqual({ resourceType: 'Parameters' })
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

  test('of quantities and composites is searched as those of R4', async () => {
    const { ours } = clinics
    const code = { coding: [{ system: 'http://example.org/lens', code: 'strength' }] }
    const lens = (value: number) => ({
      ...{ resourceType: 'Observation', status: 'final', code },
      component: [{ code, valueQuantity: { value, unit: 'dpt', system: 'http://unitsofmeasure.org', code: '[diop]' } }],
    })
    const [weak] = [await written(ours, lens(1.5)), await written(ours, lens(4))]
    const expression = 'Observation.component.value.ofType(Quantity)'
    await written(ours, parameter('strength', { base: ['Observation'], type: 'quantity', expression }))
    expect(await found(ours, '/Observation?strength=lt2')).toEqual([weak])
    const component = [
      { definition: 'http://hl7.org/fhir/SearchParameter/clinical-code', expression: 'code' },
      { definition: 'http://example.org/SearchParameter/strength', expression: 'value.ofType(Quantity)' },
    ]
    const composite = { base: ['Observation'], type: 'composite', expression: 'Observation.component', component }
    await written(ours, parameter('lens-strength', composite))
    expect(await found(ours, '/Observation?lens-strength=strength$lt2')).toEqual([weak])
    expect(await found(ours, '/Observation?lens-strength=colour$lt2')).toEqual([])
  })

  test('of every type is searched across types', async () => {
    const { ours } = clinics
    const group = await written(ours, {
      ...{ resourceType: 'Group', type: 'person', actual: true },
      ...{ extension: [{ url: EYES, valueCode: 'red' }] },
    } as { resourceType: string })
    const red = await written(ours, patient('Red', 'red'))
    const expression = `DomainResource.extension('${EYES}').value`
    await written(ours, parameter('any-color', { base: ['DomainResource'], expression }))
    expect(await found(ours, '/?_type=Patient,Group&any-color=red')).toEqual([group, red].sort())
    expect((await ours('GET', '/Binary?any-color=red')).status).toBe(400)
  })
})

describe('what is changed', () => {
  const NICK = 'http://example.org/nick'
  const nicknamed = (nick: string, family: string) =>
    patient(family, 'grey', { extension: [{ url: NICK, valueString: nick }] })
  const expression = `Patient.extension('${NICK}').value`

  test('an expression: all is indexed anew, and found by the new values alone', async () => {
    const { ours } = clinics
    const id = await written(ours, nicknamed('Bo', 'Changed'))
    const definition = { ...parameter('nick', { type: 'string', expression }), id: 'nick' }
    expect((await ours('PUT', '/SearchParameter/nick', definition)).status).toBe(201)
    expect(await found(ours, '/Patient?nick=bo')).toEqual([id])
    const changed = { ...definition, expression: "Patient.name.where(family='Changed').family" }
    expect((await ours('PUT', '/SearchParameter/nick', changed)).status).toBe(200)
    expect(await found(ours, '/Patient?nick=bo')).toEqual([])
    expect(await found(ours, '/Patient?nick=chang')).toEqual([id])
  })

  test('nothing that is indexed: searches go on without a break', async () => {
    const { ours } = clinics
    const patch = [{ op: 'replace', path: '/description', value: 'Another text' }]
    const headers = { 'content-type': 'application/json-patch+json' }
    expect((await ours('PATCH', '/SearchParameter/nick', patch, headers)).status).toBe(200)
    expect((await ours('GET', '/Patient?nick=chang')).status).toBe(200)
  })

  test('by a patch: as by an update', async () => {
    const { ours } = clinics
    const patch = [{ op: 'replace', path: '/expression', value: expression }]
    const headers = { 'content-type': 'application/json-patch+json' }
    expect((await ours('PATCH', '/SearchParameter/nick', patch, headers)).status).toBe(200)
    expect(await found(ours, '/Patient?nick=chang')).toEqual([])
    expect(await found(ours, '/Patient?nick=bo')).toHaveLength(1)
  })

  test('one that is retired, or deleted, is unknown at once; one that comes back finds what was written meanwhile', async () => {
    const { ours } = clinics
    const definition = { ...parameter('nick', { type: 'string', expression }), id: 'nick' }
    await ours('PUT', '/SearchParameter/nick', { ...definition, status: 'retired' })
    const answer = await ours('GET', '/Patient?nick=bo')
    expect([answer.status, diagnosticsOf(answer)]).toEqual([400, expect.stringContaining("no search parameter 'nick'")])
    const meanwhile = await written(ours, nicknamed('Bobo', 'Meanwhile'))
    await ours('PUT', '/SearchParameter/nick', definition)
    expect(await found(ours, '/Patient?nick=bobo')).toEqual([meanwhile])
    expect((await ours('DELETE', '/SearchParameter/nick')).status).toBe(204)
    expect((await ours('GET', '/Patient?nick=bo')).status).toBe(400)
  })

  test('a draft takes no part', async () => {
    const { ours } = clinics
    await written(ours, parameter('drafted', { status: 'draft', expression: 'no FHIRPath (' }))
    expect((await ours('GET', '/Patient?drafted=x')).status).toBe(400)
  })

  test('in a transaction: the other resources of it have the values too', async () => {
    const { ours } = clinics
    const entry = [
      { request: { method: 'POST', url: 'Patient' }, resource: nicknamed('Zed', 'Together') },
      {
        request: { method: 'POST', url: 'SearchParameter' },
        resource: parameter('alias', { type: 'string', expression }),
      },
      {
        request: { method: 'POST', url: 'SearchParameter' },
        resource: parameter('alias-too', { type: 'string', expression }),
      },
    ]
    const { status, body } = await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect([status, body.issue]).toEqual([200, undefined])
    expect(await found(ours, '/Patient?alias=zed&alias-too=zed')).toHaveLength(1)
  })
})

describe('what an expression cannot do', () => {
  test('keep a resource from being written: where it fails, or takes too much work, there is no value', async () => {
    const { ours } = clinics
    const expensive = 'Patient.descendants().where(%resource.descendants().descendants().count() > 1)'
    await written(ours, parameter('only-name', { type: 'string', expression: 'Patient.name.single().family' }))
    await written(ours, parameter('expensive', { type: 'string', expression: expensive }))
    const one = await written(ours, { resourceType: 'Patient', name: [{ family: 'Solitaire' }] } as {
      resourceType: string
    })
    const name = Array.from({ length: 500 }, (_, index) => ({ family: `Solitaire ${index}`, given: ['a', 'b', 'c'] }))
    await written(ours, { resourceType: 'Patient', name } as { resourceType: string })
    expect(await found(ours, '/Patient?only-name=solitaire')).toEqual([one])
    expect(await found(ours, '/Patient?expensive=solitaire')).toEqual([one])
  })

  test('make a resource be found by endless texts, or by more than 500 values', async () => {
    const { ours } = clinics
    await written(ours, parameter('any-text', { type: 'string', base: ['Basic'], expression: 'Basic.extension.value' }))
    const extension = ['long '.repeat(5_000), ...Array.from({ length: 600 }, (_, index) => `text ${index}`)].map(
      (valueString) => ({ url: EYES, valueString }),
    )
    const basic = await written(ours, { resourceType: 'Basic', code: { text: 'x' }, extension } as {
      resourceType: string
    })
    expect(await found(ours, '/Basic?any-text:exact=text 498')).toEqual([basic])
    expect(await found(ours, '/Basic?any-text=long')).toEqual([])
    expect(await found(ours, '/Basic?any-text:exact=text 599')).toEqual([])
  })

  test('be too many: a clinic has 100 active parameters at most', async () => {
    const { theirs } = clinics
    const entry = Array.from({ length: 101 }, (_, index) => ({
      request: { method: 'POST', url: 'SearchParameter' },
      resource: parameter(`many-${index}`, { base: ['Basic'], expression: 'Basic.code' }),
    }))
    const { status, body } = await theirs('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect([status, body.issue[0].diagnostics]).toEqual([422, expect.stringContaining('100 active search parameters')])
  })
})

describe('what is refused with 422, and by which element', () => {
  const base = ['Patient']
  test.each<[string, Record<string, unknown>, string, RegExp]>([
    ['an expression that is no FHIRPath', { expression: 'Patient.name[' }, 'expression', /FHIRPath|name\[/],
    ['no expression', { expression: undefined }, 'expression', /needs a FHIRPath expression/],
    [
      'an expression about another type',
      { expression: 'Observation.code' },
      'expression',
      /says nothing about Patient/,
    ],
    ['one of several bases without an expression', { base: ['Patient', 'Group'] }, 'expression', /about Group/],
    [
      'a function that the clock decides',
      { expression: 'Patient.name.where(period.end > now())' },
      'expression',
      /now\(\)/,
    ],
    ['a pattern', { expression: "Patient.name.where(family.matches('(a+)+$'))" }, 'expression', /matches\(\)/],
    ['a terminology', { expression: "Patient.gender.where(memberOf('x'))" }, 'expression', /memberOf/],
    ['an unknown function', { expression: 'Patient.name.frobnicate()' }, 'expression', /frobnicate/],
    ['an endless expression', { expression: `Patient.${'a.'.repeat(2000)}b` }, 'expression', /2000 are the most/],
    ['a code that R4 has for the type', { code: 'birthdate' }, 'code', /birthdate.*already/],
    ['a code that R4 has for every type', { code: '_tag' }, 'code', /_tag/],
    ['a code that no query can hold', { code: 'eye.color' }, 'code', /cannot be the name/],
    ['a code with a colon', { code: 'eye:color' }, 'code', /cannot be the name/],
    ['the name of a result parameter', { code: '_sort' }, 'code', /cannot be the name/],
    ['a special one', { type: 'special' }, 'type', /special cannot be added/],
    ['a composite without components', { type: 'composite' }, 'component', /needs components/],
    [
      'a component that there is not',
      { type: 'composite', component: [{ definition: 'http://example.org/none', expression: 'code' }] },
      'component[0].definition',
      /is not a search parameter/,
    ],
  ])('%s', async (_name, more, element, message) => {
    const answer = await clinics.ours('POST', '/SearchParameter', parameter('refused', { base, ...more }))
    expect(answer.status).toBe(422)
    expect(answer.body.issue[0].expression).toEqual([`SearchParameter.${element}`])
    expect(diagnosticsOf(answer)).toMatch(message)
  })

  test('a base that there is not', async () => {
    const answer = await clinics.ours('POST', '/SearchParameter', parameter('refused', { base: ['Patiént'] }))
    expect([422, 400]).toContain(answer.status)
    expect(answer.body.issue[0].expression[0]).toMatch(/^SearchParameter.base/)
  })

  test('a second one with the same code for a type, however it comes', async () => {
    const { ours } = clinics
    await written(ours, parameter('twice', { base: ['Patient', 'Group'], expression: 'Patient.name | Group.name' }))
    const again = parameter('twice', { base: ['Group'], expression: 'Group.name' })
    const answer = await ours('POST', '/SearchParameter', again)
    expect([answer.status, answer.body.issue[0].expression]).toEqual([422, ['SearchParameter.code']])
    const both = ['one', 'two'].map((id) => ({
      request: { method: 'PUT', url: `SearchParameter/both-${id}` },
      resource: { ...parameter('both'), id: `both-${id}` },
    }))
    const transaction = await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry: both })
    expect(transaction.status).toBe(422)
    expect((await ours('GET', '/SearchParameter?code=both&_summary=count')).body.total).toBe(0)
    // In another clinic, or for another type, the code is free.
    await written(clinics.theirs, again)
    await written(ours, parameter('twice', { base: ['Device'], expression: 'Device.deviceName.name' }))
  })

  test('what only describes a parameter of R4 is stored, and changes nothing', async () => {
    const { ours } = clinics
    const derivedFrom = 'http://hl7.org/fhir/SearchParameter/Patient-name'
    await written(ours, parameter('name', { type: 'string', derivedFrom, expression: 'Patient.id' }))
    expect((await ours('GET', '/Patient?name=Before')).body.total).toBe(1)
  })
})
