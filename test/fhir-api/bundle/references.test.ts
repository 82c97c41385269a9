/** References between the entries of a transaction: https://hl7.org/fhir/R4/http.html#trules. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

type Entry = Record<string, unknown>
const post = (entry: readonly Entry[]) =>
  server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry }, { prefer: 'return=representation' })
const create = (resource: { resourceType: string } & Entry, fullUrl?: string, request: object = {}): Entry => ({
  ...(fullUrl === undefined ? {} : { fullUrl }),
  resource,
  request: { method: 'POST', url: resource.resourceType, ...request },
})
const practitioner = (value: string) => ({ resourceType: 'Practitioner', identifier: [{ system: 'urn:npi', value }] })
const patientOf = (reference: string) => ({ resourceType: 'Patient', generalPractitioner: [{ reference }] })
const urn = () => `urn:uuid:${randomUUID()}`
const practitioners = async () => (await server.fhir('GET', '/Practitioner?_summary=count')).body.total

describe('the fullUrl of an entry', () => {
  test('is replaced in references, in url, in a uri that is a placeholder and in links of the narrative; a canonical stays', async () => {
    const about = urn()
    const { body } = await post([
      create({ resourceType: 'Binary', contentType: 'text/plain', data: 'eA==' }, about),
      create({
        resourceType: 'DocumentReference',
        status: 'current',
        subject: { reference: 'Patient/abernathy-ruth' },
        content: [{ attachment: { url: about } }],
        context: {
          related: [{ reference: `${about}#part`, _reference: { extension: [{ url: 'x', valueUri: about }] } }],
        },
        extension: [
          { url: 'http://example.org/a', valueUrl: about },
          { url: 'http://example.org/b', valueCanonical: about },
          { url: 'http://example.org/c', valueReference: { reference: about } },
        ],
        text: {
          status: 'generated',
          div: `<div xmlns="http://www.w3.org/1999/xhtml"><a href="${about}">it</a> is ${about}</div>`,
        },
      }),
    ])
    const binary = `Binary/${body.entry[0].resource.id}`
    const { content, context, extension, text } = body.entry[1].resource
    expect(content[0].attachment.url).toBe(binary)
    expect(context.related[0]).toEqual({
      reference: `${binary}#part`,
      _reference: { extension: [{ url: 'x', valueUri: binary }] },
    })
    expect(extension.map((one: object) => Object.values(one)[1])).toEqual([binary, about, { reference: binary }])
    expect(text.div).toContain(`<a href="${binary}">it</a> is ${about}`)
  })

  test('stays where it is text: in identifiers, names, codes and string extensions', async () => {
    const self = urn()
    const patient = {
      resourceType: 'Patient',
      identifier: [{ value: self }, { system: 'urn:ietf:rfc:3986', value: self }],
      name: [{ text: self, family: self }],
      maritalStatus: { coding: [{ code: self }], text: self },
      extension: [{ url: 'http://example.org/a', valueString: self }],
    }
    const { body } = await post([create(patient, self)])
    expect(body.entry[0].resource).toMatchObject(patient)
  })

  test('is replaced in the values of a JSON Patch', async () => {
    const { body: patient } = await server.fhir('POST', '/Patient', { resourceType: 'Patient' })
    const doctor = urn()
    const patch = [
      { op: 'add', path: '/generalPractitioner', value: [{ reference: doctor }, { reference: doctor }] },
      { op: 'replace', path: '/generalPractitioner/1/reference', value: doctor },
      { op: 'add', path: '/name', value: [{ text: doctor }] },
    ]
    const data = Buffer.from(JSON.stringify(patch)).toString('base64')
    const { body } = await post([
      create(practitioner(randomUUID()), doctor),
      {
        resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
        request: { method: 'PATCH', url: `Patient/${patient.id}` },
      },
    ])
    const reference = `Practitioner/${body.entry[0].resource.id}`
    expect(body.entry[1].resource.generalPractitioner).toEqual([{ reference }, { reference }])
    expect(body.entry[1].resource.name[0].text).toBe(doctor)
  })

  test('on another server stands for the new resource by its address there and by Type/id, when it is a POST', async () => {
    const there = randomUUID()
    const fullUrl = `http://elsewhere.example/fhir/Practitioner/${there}`
    const { body } = await post([
      create(practitioner(randomUUID()), fullUrl),
      create(patientOf(fullUrl)),
      create(patientOf(`Practitioner/${there}`)),
    ])
    const reference = `Practitioner/${body.entry[0].resource.id}`
    expect(reference).not.toBe(`Practitioner/${there}`)
    for (const index of [1, 2]) expect(body.entry[index].resource.generalPractitioner).toEqual([{ reference }])
  })

  test('on another server of a PUT stands for the resource of the url; Type/id stays what it is', async () => {
    const [there, id] = [randomUUID(), randomUUID()]
    const fullUrl = `http://elsewhere.example/fhir/Practitioner/${there}`
    const { body } = await post([
      {
        ...create({ ...practitioner(randomUUID()), id }, fullUrl),
        request: { method: 'PUT', url: `Practitioner/${id}` },
      },
      create(patientOf(fullUrl)),
      create(patientOf(`Practitioner/${there}`)),
    ])
    const references = [1, 2].map((index) => body.entry[index].resource.generalPractitioner[0].reference)
    expect(references).toEqual([`Practitioner/${id}`, `Practitioner/${there}`])
  })

  test('of two entries is 400 and names both, also where one of them only reads', async () => {
    const same = urn()
    const before = await practitioners()
    const answer = await post([
      create(practitioner('a'), same),
      { fullUrl: same, request: { method: 'GET', url: 'Patient/abernathy-ruth' } },
    ])
    expect(answer.status).toBe(400)
    expect(answer.body.issue[0].diagnostics).toContain('Bundle.entry[0] and Bundle.entry[1]')
    expect(await practitioners()).toBe(before)
  })
})

describe('a reference to a urn:uuid that no entry has', () => {
  test.each([
    ['', ''],
    ['with a fragment', '#part'],
  ])('%s is 400, named, and nothing is stored', async (_what, fragment) => {
    const missing = `${urn()}${fragment}`
    const before = await practitioners()
    const { status, body } = await post([create(practitioner('b')), create(patientOf(missing))])
    expect(status).toBe(400)
    expect(body.issue[0].diagnostics).toContain(missing)
    expect(body.issue[0].diagnostics).toMatch(/^Bundle\.entry\[1\]/)
    expect(await practitioners()).toBe(before)
  })

  test('is no matter of a batch, nor of a Bundle that is stored', async () => {
    const inner = {
      resourceType: 'Bundle',
      type: 'collection',
      entry: [{ fullUrl: urn(), resource: patientOf(urn()) }],
    }
    expect((await post([create(inner)])).status).toBe(200)
    const batch = { resourceType: 'Bundle', type: 'batch', entry: [create(patientOf(urn()))] }
    expect((await server.fhir('POST', '/', batch)).body.entry[0].response.status).toMatch(/^201/)
  })
})

describe('a conditional reference that nothing stored matches', () => {
  const to = (value: string) => `Practitioner?identifier=urn:npi|${value}`

  test.each<[string, { ifNoneExist?: boolean }]>([
    ['POST', {}],
    ['POST', { ifNoneExist: true }],
    ['PUT', {}],
  ])(
    'is to the entry of the same transaction that does, before or behind it (%s %j)',
    async (method, { ifNoneExist = false }) => {
      const value = randomUUID()
      const id = method === 'PUT' ? { id: randomUUID() } : {}
      const doctor = create({ ...practitioner(value), ...id }, undefined, {
        method,
        url: `Practitioner${method === 'PUT' ? `/${id.id}` : ''}`,
        ...(ifNoneExist ? { ifNoneExist: `identifier=urn:npi|${value}` } : {}),
      })
      const { status, body } = await post([create(patientOf(to(value))), doctor, create(patientOf(to(value)))])
      expect(status).toBe(200)
      const reference = `Practitioner/${body.entry[1].resource.id}`
      for (const index of [0, 2]) expect(body.entry[index].resource.generalPractitioner).toEqual([{ reference }])
    },
  )

  test.each([
    ['two entries match', 'same', 'same', '2 entries'],
    ['no entry matches', 'one', 'two', 'nothing'],
  ])('is 412 when %s', async (_what, one, other, said) => {
    const run = randomUUID()
    const before = await practitioners()
    const { status, body } = await post([
      create(practitioner(`${run}-${one}`)),
      create(practitioner(`${run}-${other}`)),
      create(patientOf(to(`${run}-same`))),
    ])
    expect(status).toBe(412)
    expect(body.issue[0].diagnostics).toContain(said)
    expect(await practitioners()).toBe(before)
  })

  test('is the stored one where there is one, whatever the Bundle creates', async () => {
    const value = randomUUID()
    const { body: stored } = await server.fhir('POST', '/Practitioner', practitioner(value))
    const { body } = await post([create(practitioner(value)), create(patientOf(to(value)))])
    expect(body.entry[1].resource.generalPractitioner).toEqual([{ reference: `Practitioner/${stored.id}` }])
  })

  test('is never an entry of another type', async () => {
    const value = randomUUID()
    const related = { resourceType: 'Organization', identifier: [{ system: 'urn:npi', value }] }
    expect((await post([create(related), create(patientOf(to(value)))])).status).toBe(412)
  })
})
