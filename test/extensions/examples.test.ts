/** Each example works as it says when used from another project, in which the package is installed. */
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { CapabilityStatementRest } from 'fhir/r4'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { eventually, subscribe } from '../events/support.ts'
import { notifiedIn, toTopic } from '../events/topic-support.ts'
import { type FhirResponse, request } from '../support/request.ts'
import { type Started, stop } from '../support/server-process.ts'
import { adminOf, examples, type Fhir, makeClinic, newProject, SECRETS, staffOf, startIn } from './outside.ts'

let server: Started
let ours: Fhir
let theirs: Fhir
beforeAll(async () => {
  const EXTENSIONS = examples.map((file, index) => (index === 0 ? `./${file}` : file)).join()
  server = await startIn(newProject(), { DATABASE_URL: 'sqlite::memory:', ...SECRETS, EXTENSIONS })
  ours = staffOf('demo-clinic', server)
  await makeClinic('other-clinic', server)
  theirs = staffOf('other-clinic', server)
})
afterAll(() => stop(server, 'SIGTERM'))

async function tool(path: string, args: object): Promise<Record<string, unknown>> {
  const body = { message: { toolCalls: [{ id: path, function: { arguments: args } }] } }
  const headers = { 'x-voice-secret': SECRETS.WEBHOOK_SECRET, 'x-call-id': 'example-call' }
  return JSON.parse((await request(server.url, 'POST', path, body, headers)).body.results[0].result)
}

async function typeInMetadata(type: string) {
  const [rest]: CapabilityStatementRest[] = (await ours('GET', '/metadata')).body.rest
  return rest?.resource?.find((resource) => resource.type === type)
}

const create = async (fhir: Fhir, resource: AnyResource & Readonly<Record<string, unknown>>): Promise<string> => {
  const answer = await fhir('POST', `/${resource.resourceType}`, resource)
  expect(answer.status).toBe(201)
  return answer.body.id
}

test('each example is short, and imports the package and nothing else', () => {
  expect(examples).toHaveLength(8)
  for (const file of examples) {
    const text = readFileSync(join(import.meta.dirname, '../../examples', file), 'utf8')
    expect(text.split('\n').length).toBeLessThanOrEqual(52)
    expect([...text.matchAll(/from '([^']+)'/g)].map(([, from]) => from)).toEqual(['sandbox-emr'])
  }
})

describe('flag-subject: a provider with a rule', () => {
  const flag = (reference: string) => ({
    resourceType: 'Flag',
    status: 'active',
    code: { text: 'Falls' },
    subject: { reference },
  })

  test('takes a Flag for a patient of the clinic', async () => {
    const patient = await create(ours, { resourceType: 'Patient' })
    const id = await create(ours, flag(`Patient/${patient}`))
    expect((await ours('GET', `/Flag/${id}`)).status).toBe(200)
    expect((await theirs('GET', `/Flag/${id}`)).status).toBe(404)
  })

  test.each(['Patient/nobody', 'Location/main'])(
    'refuses one for %s, also by update and in a transaction',
    async (reference) => {
      const resource = { ...flag(reference), id: 'refused' }
      const entry = [{ resource, request: { method: 'PUT', url: 'Flag/refused' } }]
      const answers = [
        await ours('POST', '/Flag', flag(reference)),
        await ours('PUT', '/Flag/refused', resource),
        await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry }),
      ]
      for (const { status, text } of answers) {
        expect(status).toBe(422)
        expect(text).toContain('Flag.subject')
      }
      expect((await ours('GET', '/Flag/refused')).status).toBe(404)
    },
  )

  test("refuses one for another clinic's patient", async () => {
    const patient = await create(theirs, { resourceType: 'Patient' })
    expect((await ours('POST', '/Flag', flag(`Patient/${patient}`))).status).toBe(422)
  })
})

describe('unique-record-number: a rule around a provider of the server', () => {
  const numbered = (value: string) => ({
    resourceType: 'Patient',
    identifier: [{ system: 'https://example.org/medical-record-number', value }],
  })

  test('a number that another patient has is 409, for the same patient and in another clinic it is not', async () => {
    const id = await create(ours, numbered('12'))
    expect((await ours('POST', '/Patient', numbered('12'))).status).toBe(409)
    expect((await ours('PUT', `/Patient/${id}`, { ...numbered('12'), id })).status).toBe(200)
    await create(theirs, numbered('12'))
  })

  test('of clients that store the same number at the same time one succeeds', async () => {
    const answers = await Promise.all([1, 2, 3, 4].map(() => ours('POST', '/Patient', numbered('34'))))
    expect(answers.map(({ status }) => status).sort()).toEqual([201, 409, 409, 409])
  })

  test('Patient keeps the operations of the server', async () => {
    const codes = (await typeInMetadata('Patient'))?.operation?.map(({ name }) => name)
    expect(codes).toEqual(expect.arrayContaining(['match', 'everything', 'submit-intake']))
  })
})

describe('patient-age: an operation', () => {
  test('answers by GET and by POST, checks its input, and is in /metadata with its definition', async () => {
    const id = await create(ours, { resourceType: 'Patient', birthDate: '1980-03-15' })
    const years = (answer: FhirResponse) => answer.body.parameter
    expect(years(await ours('GET', `/Patient/${id}/$age?on=2020-03-14`))).toEqual([{ name: 'years', valueInteger: 39 }])
    const parameter = [{ name: 'on', valueDate: '2020-03-15' }]
    const posted = await ours('POST', `/Patient/${id}/$age`, { resourceType: 'Parameters', parameter })
    expect(years(posted)).toEqual([{ name: 'years', valueInteger: 40 }])
    expect((await ours('GET', `/Patient/${id}/$age?on=tomorrow`)).status).toBe(400)
    expect((await theirs('GET', `/Patient/${id}/$age`)).status).toBe(404)
    const definition = 'https://example.org/fhir/OperationDefinition/example-patient-age'
    expect((await typeInMetadata('Patient'))?.operation).toContainEqual({ name: 'age', definition })
  })

  test('its definition is a resource of every clinic, which none can change', async () => {
    for (const fhir of [ours, theirs]) {
      const { status, body } = await fhir('GET', '/OperationDefinition/example-patient-age')
      expect([status, body.code]).toEqual([200, 'age'])
      expect((await fhir('PUT', '/OperationDefinition/example-patient-age', body)).status).toBe(422)
    }
  })
})

describe('find-location: a tool', () => {
  test('answers for the clinic of the call only, and is an operation of Location too', async () => {
    await create(ours, { resourceType: 'Location', name: 'Harbour Street' })
    await create(theirs, { resourceType: 'Location', name: 'Harbour Hidden' })
    const found = await tool('/clinic-info/find_location', { name: 'Harbour' })
    expect(found).toEqual({ success: true, say: 'We are at Harbour Street.' })
    const operation = await theirs('GET', '/Location/$find-location?name=Harbour')
    expect(operation.body.parameter).toContainEqual({ name: 'say', valueString: 'We are at Harbour Hidden.' })
  })

  test('checks its arguments, takes the voice secret, and never asks for a token', async () => {
    expect(await tool('/clinic-info/find_location', {})).toMatchObject({ success: false, code: 'missing-argument' })
    expect(await tool('/clinic-info/fly', {})).toMatchObject({ success: false, code: 'unknown-tool' })
    const { status, body } = await request(server.url, 'POST', '/clinic-info/find_location', {})
    expect([status, body.error]).toEqual([401, expect.stringContaining('x-voice-secret')])
  })
})

describe('patient-nickname: a search parameter', () => {
  test('is searched by, also in chains and conditions, by each clinic in its own data, and is in /metadata', async () => {
    const name = [{ use: 'nickname', given: ['Bo'] }, { given: ['Beatrix'] }]
    const id = await create(ours, { resourceType: 'Patient', name })
    await create(ours, {
      resourceType: 'Flag',
      status: 'active',
      code: { text: 'x' },
      subject: { reference: `Patient/${id}` },
    })
    const found = async (fhir: Fhir, path: string) => (await fhir('GET', path)).body.total
    expect(await found(ours, '/Patient?nickname=bo&_total=accurate')).toBe(1)
    expect(await found(ours, '/Patient?nickname=beatrix&_total=accurate')).toBe(0)
    expect(await found(ours, '/Flag?patient.nickname:exact=Bo&_total=accurate')).toBe(1)
    expect(await found(theirs, '/Patient?nickname=bo&_total=accurate')).toBe(0)
    expect((await typeInMetadata('Patient'))?.searchParam?.map((parameter) => parameter.name)).toContain('nickname')
  })

  test('no clinic can define another one of that code', async () => {
    const parameter = {
      ...{ resourceType: 'SearchParameter', url: 'https://example.org/mine', name: 'mine', description: 'Mine' },
      ...{ status: 'active', code: 'nickname', base: ['Patient'], type: 'string', expression: 'Patient.name.text' },
    }
    expect((await ours('POST', '/SearchParameter', parameter)).status).toBe(422)
  })
})

describe('reachable-patient: a profile', () => {
  const profile = 'https://example.org/fhir/StructureDefinition/example-reachable-patient'

  test('is checked by $validate in every clinic, and is in /metadata', async () => {
    const patient = { resourceType: 'Patient', meta: { profile: [profile] } }
    for (const fhir of [ours, theirs]) {
      const problems = async (resource: object) =>
        (await fhir('POST', '/Patient/$validate', resource)).body.issue.filter(
          ({ severity }: { readonly severity: string }) => severity === 'error',
        )
      expect(JSON.stringify(await problems(patient))).toContain('Patient.telecom')
      expect(await problems({ ...patient, telecom: [{ system: 'phone', value: '+12125550123' }] })).toEqual([])
    }
    expect((await typeInMetadata('Patient'))?.supportedProfile).toEqual([profile])
  })
})

describe('severe-allergy: a topic', () => {
  const url = 'https://acme.example/SubscriptionTopic/severe-allergy'

  test('is among the topics of the CapabilityStatement, and a Basic that nobody changes', async () => {
    const { extension = [] } = (await typeInMetadata('Subscription')) ?? {}
    expect(extension.map(({ valueCanonical }) => valueCanonical)).toContain(url)
    for (const fhir of [ours, theirs]) {
      const { body } = await fhir('GET', '/Basic/severe-allergy')
      expect(JSON.stringify(body)).toContain(url)
      expect((await fhir('PUT', '/Basic/severe-allergy', { ...body, author: { display: 'me' } })).status).toBe(422)
    }
  })

  test('is subscribed to with its filters, and tells of what meets its criteria', async () => {
    const patient = await create(ours, { resourceType: 'Patient' })
    const id = await subscribe(
      { fhir: ours },
      toTopic({ topic: url, type: 'websocket', filters: [`patient=${patient}`] }),
    )
    const active = { system: 'http://terminology.hl7.org/CodeSystem/allergyintolerance-clinical', code: 'active' }
    const allergy = {
      ...{ resourceType: 'AllergyIntolerance', clinicalStatus: { coding: [active] } },
      patient: { reference: `Patient/${patient}` },
    }
    await create(ours, { ...allergy, criticality: 'low' })
    const severe = await create(ours, { ...allergy, criticality: 'high' })
    const told = await eventually(async () => {
      const { numbers, focuses } = notifiedIn((await ours('GET', `/Subscription/${id}/$events`)).body)
      return numbers.length > 0 ? focuses : undefined
    })
    expect(told).toEqual([`AllergyIntolerance/${severe}`])
  })
})

describe('two-sisters: a scenario', () => {
  test('is one of those that a clinic can begin with', async () => {
    const { body } = await ours('GET', '/scenarios')
    const sisters = body.scenarios.find(({ name }: { readonly name: string }) => name === 'two-sisters')
    expect(sisters).toMatchObject({ title: 'Two sisters', resources: 2, people: 1 })
  })

  test('is in the clinic after a reset to it, with the ages that it says', async () => {
    const admin = adminOf('other-clinic', server)
    expect((await admin('POST', '/clinics/other-clinic/reset', { scenario: 'two-sisters' })).status).toBe(200)
    const { body } = await theirs('GET', '/Patient?family=Novak&_sort=birthdate')
    const years = body.entry.map(({ resource }: { resource: { birthDate: string } }) =>
      Number(resource.birthDate.slice(0, 4)),
    )
    expect(years[1] - years[0]).toBe(2)
  })
})
