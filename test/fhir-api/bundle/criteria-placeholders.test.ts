/** Criteria of a transaction that name another entry by its fullUrl: https://hl7.org/fhir/R4/http.html#trules. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const SYSTEM = 'urn:criteria-placeholders'
const urn = () => `urn:uuid:${randomUUID()}`
const transaction = (...entry: object[]) =>
  server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry }, { prefer: 'return=representation' })

const person = (value: string, fullUrl: string) => ({
  fullUrl,
  resource: { resourceType: 'Patient', identifier: [{ system: SYSTEM, value }] },
  request: { method: 'POST', url: 'Patient', ifNoneExist: `identifier=${SYSTEM}|${value}` },
})
const weight = (reference: string) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: SYSTEM, code: 'weight' }] },
  subject: { reference },
})
const weightsOf = async (value: string): Promise<number> =>
  (await server.fhir('GET', `/Observation?subject:Patient.identifier=${SYSTEM}|${value}&_summary=count`)).body.total

/** Criteria that find the weight of the person whose entry has this fullUrl. */
const CRITERIA: readonly (readonly [string, (fullUrl: string) => string])[] = [
  ['subject', (fullUrl) => `subject=${fullUrl}&code=${SYSTEM}|weight`],
  ['patient', (fullUrl) => `patient=${fullUrl}&code=${SYSTEM}|weight`],
  ['subject:Patient', (fullUrl) => `subject:Patient=${fullUrl}&code=${SYSTEM}|weight`],
  ['percent-encoded', (fullUrl) => `subject=${encodeURIComponent(fullUrl)}&code=${SYSTEM}%7Cweight`],
  ['one of several', (fullUrl) => `code=${SYSTEM}|weight&subject=Patient/nobody,${fullUrl}`],
]

describe.each(CRITERIA)(
  'a fullUrl in criteria (%s) stands for the resource of its entry, created or matched, in',
  (_form, of) => {
    test('ifNoneExist, so that the transaction sent again makes nothing new', async () => {
      const value = randomUUID()
      const send = (fullUrl = urn()) =>
        transaction(
          { resource: weight(fullUrl), request: { method: 'POST', url: 'Observation', ifNoneExist: of(fullUrl) } },
          person(value, fullUrl),
        )
      const answers = [await send(), await send(), await send()]
      expect(answers.map(({ body }) => body.entry?.[0].response.status.slice(0, 3))).toEqual(['201', '200', '200'])
      expect(await weightsOf(value)).toBe(1)
    })

    test('ifNoneExist with the address of the search', async () => {
      const value = randomUUID()
      const send = (fullUrl = urn()) =>
        transaction(person(value, fullUrl), {
          resource: weight(fullUrl),
          request: { method: 'POST', url: 'Observation', ifNoneExist: `Observation?${of(fullUrl)}` },
        })
      expect([(await send()).status, (await send()).status, await weightsOf(value)]).toEqual([200, 200, 1])
    })

    test('the url of a PUT, which updates instead of making another one', async () => {
      const value = randomUUID()
      const send = (fullUrl = urn()) =>
        transaction(
          { resource: weight(fullUrl), request: { method: 'PUT', url: `Observation?${of(fullUrl)}` } },
          person(value, fullUrl),
        )
      const answers = [await send(), await send()]
      expect(answers.map(({ body }) => body.entry?.[0].response.status.slice(0, 3))).toEqual(['201', '200'])
      expect(await weightsOf(value)).toBe(1)
    })

    test('the url of a DELETE, of a PATCH and of a search', async () => {
      const value = randomUUID()
      const first = urn()
      await transaction(person(value, first), {
        resource: weight(first),
        request: { method: 'POST', url: 'Observation' },
      })
      const second = urn()
      const data = Buffer.from(JSON.stringify([{ op: 'replace', path: '/status', value: 'amended' }])).toString(
        'base64',
      )
      const { body } = await transaction(
        person(value, second),
        {
          resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
          request: { method: 'PATCH', url: `Observation?${of(second)}` },
        },
        { request: { method: 'GET', url: `Observation?${of(second)}` } },
      )
      expect(body.entry[1].resource.status).toBe('amended')
      expect(body.entry[2].resource.total).toBe(1)
      const third = urn()
      const deleted = await transaction(person(value, third), {
        request: { method: 'DELETE', url: `Observation?${of(third)}` },
      })
      expect([deleted.status, await weightsOf(value)]).toEqual([200, 0])
    })
  },
)

test('criteria may name an entry whose own criteria name a third one', async () => {
  const value = randomUUID()
  const send = () => {
    const [patient, encounter] = [urn(), urn()]
    return transaction(
      {
        resource: { ...weight(patient), encounter: { reference: encounter } },
        request: { method: 'POST', url: 'Observation', ifNoneExist: `encounter=${encounter}` },
      },
      {
        fullUrl: encounter,
        resource: {
          resourceType: 'Encounter',
          status: 'finished',
          class: { code: 'AMB' },
          subject: { reference: patient },
        },
        request: { method: 'POST', url: 'Encounter', ifNoneExist: `subject=${patient}` },
      },
      person(value, patient),
    )
  }
  await send()
  const { status, body } = await send()
  expect([status, body.entry.map((one: { response: { status: string } }) => one.response.status.slice(0, 3))]).toEqual([
    200,
    ['200', '200', '200'],
  ])
})

describe('400, and nothing is written, for', () => {
  const refused = async (...entry: object[]) => {
    const { status, body } = await transaction(...entry)
    expect(status).toBe(400)
    return body.issue[0].diagnostics as string
  }

  test.each(['POST', 'PUT', 'DELETE', 'GET'])(
    'a urn:uuid that no entry has, in the criteria of a %s',
    async (method) => {
      const value = randomUUID()
      const missing = urn()
      const conditional = {
        ...(method === 'POST' || method === 'PUT' ? { resource: weight(missing) } : {}),
        request:
          method === 'POST'
            ? { method, url: 'Observation', ifNoneExist: `subject=${missing}` }
            : { method, url: `Observation?subject=${missing}` },
      }
      if (method === 'GET') {
        const { body } = await transaction(conditional)
        expect(body.entry[0].response.status).toMatch(/^400/)
      } else {
        expect(await refused(person(value, urn()), conditional)).toContain(missing)
        expect((await server.fhir('GET', `/Patient?identifier=${SYSTEM}|${value}`)).body.total).toBe(0)
      }
    },
  )

  test('two entries whose criteria name each other', async () => {
    const [one, other] = [urn(), urn()]
    const named = (fullUrl: string, target: string) => ({
      fullUrl,
      resource: weight('Patient/abernathy-ruth'),
      request: { method: 'POST', url: 'Observation', ifNoneExist: `derived-from=${target}` },
    })
    expect(await refused(named(one, other), named(other, one))).toContain('is not the fullUrl of an entry')
  })
})

test('a urn in a parameter that is no reference is a value: an identifier, the url of a definition', async () => {
  const id = urn()
  const document = {
    fullUrl: id,
    resource: { resourceType: 'Basic', code: { text: 'a' }, identifier: [{ system: 'urn:ietf:rfc:3986', value: id }] },
    request: { method: 'POST', url: 'Basic', ifNoneExist: `identifier=urn:ietf:rfc:3986|${id}` },
  }
  const definition = {
    resource: { resourceType: 'ValueSet', url: id, status: 'draft' },
    request: { method: 'POST', url: 'ValueSet', ifNoneExist: `url=${id}` },
  }
  for (const expected of ['201', '200']) {
    const { body } = await transaction(document, definition)
    expect(body.entry.map((one: { response: { status: string } }) => one.response.status.slice(0, 3))).toEqual([
      expected,
      expected,
    ])
  }
})
