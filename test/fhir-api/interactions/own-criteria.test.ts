/** A conditionally created resource must meet its own criteria, or each retry would create another one. */
import { randomUUID } from 'node:crypto'
import { connect } from 'node:net'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const SYSTEM = 'http://example.org/own-criteria'
const patient = (more: object): { resourceType: string } => ({ resourceType: 'Patient', ...more })
const identified = (value: string) => patient({ identifier: [{ system: SYSTEM, value }] })
const mailed = (value: string) => patient({ telecom: [{ system: 'email', value }] })
const named = (family: string) => patient({ name: [{ family }] })

/** Criteria as in an address, a resource that they do not find, and the text that the refusal quotes. */
const MISSED: readonly (readonly [string, string, { resourceType: string }, string])[] = [
  [
    'a plus in a code',
    '_tag=urn:x|a+b',
    patient({ meta: { tag: [{ system: 'urn:x', code: 'a+b' }] } }),
    "_tag='urn:x|a b'",
  ],
  ['a comma without a backslash', `identifier=${SYSTEM}|a,b`, identified('a,b'), `identifier='${SYSTEM}|a,b'`],
  ['https for http', `identifier=${SYSTEM.replace('http:', 'https:')}|1`, identified('1'), 'https://example.org'],
  ['a system with a slash more', `identifier=${SYSTEM}/|1`, identified('1'), `${SYSTEM}/|1`],
  ['an identifier without its system', `identifier=|1`, identified('1'), "identifier='|1'"],
  [
    'another case',
    `identifier=${SYSTEM}|abc-x`,
    patient({ identifier: [{ system: SYSTEM, value: 'ABC-Y' }] }),
    'abc-x',
  ],
  [
    'a composed letter for a decomposed one',
    `identifier=${SYSTEM}|${encodeURIComponent('M\u00fcller')}`,
    identified('Mu\u0308ller'),
    'M\u00fcller',
  ],
  ['another name', 'family=Doe', named('Roe'), "family='Doe'"],
  ['a birth date that the resource lacks', 'birthdate=1980-01-01', named('Roe'), "birthdate='1980-01-01'"],
  [
    'another gender, beside a name that fits',
    'family=Roe&gender=male',
    patient({ name: [{ family: 'Roe' }], gender: 'female' }),
    "gender='male'",
  ],
  ['an id that a create does not take', '_id=mine', patient({ id: 'mine' }), "_id='mine'"],
  ['a value that is not missing', 'family=Roe&birthdate:missing=false', named('Roe'), "birthdate:missing='false'"],
  ['a language', 'language=de', named('Roe'), "language='de'"],
]

const countOf = async () => (await server.fhir('GET', '/Patient?_summary=count')).body.total

describe.each(MISSED)('%s', (what, criteria, resource, quoted) => {
  type Answer = Awaited<ReturnType<TestServer['fhir']>>
  const ways: readonly (readonly [string, () => Promise<Answer>])[] = [
    ['create', () => server.fhir('POST', '/Patient', resource, { 'if-none-exist': criteria })],
    [
      'transaction',
      () =>
        server.fhir('POST', '/', {
          resourceType: 'Bundle',
          type: 'transaction',
          entry: [{ resource, request: { method: 'POST', url: 'Patient', ifNoneExist: criteria } }],
        }),
    ],
    ['update', () => server.fhir('PUT', `/Patient?${criteria}`, resource)],
  ]

  test.each(ways.filter(([way]) => way !== 'update' || !what.startsWith('an id ')))(
    'is 422 for a conditional %s, quoted as it was understood, and nothing is written',
    async (_way, send) => {
      const before = await countOf()
      const { status, body } = await send()
      expect(status).toBe(422)
      expect(body.issue[0].diagnostics).toContain(quoted)
      expect(await countOf()).toBe(before)
    },
  )
})

/** Criteria that the resource meets, or of which it alone does not tell. */
const MET: readonly (readonly [string, (value: string) => string, (value: string) => { resourceType: string }])[] = [
  ['a plus in an e-mail', (value) => `email=${value}+news@example.org`, (value) => mailed(`${value}+news@example.org`)],
  ['a plus in an identifier', (value) => `identifier=${SYSTEM}|${value}+b`, (value) => identified(`${value}+b`)],
  [
    'a plus that is encoded',
    (value) => `email=${value}%2Bnews@example.org`,
    (value) => mailed(`${value}+news@example.org`),
  ],
  ['a comma with a backslash', (value) => `identifier=${SYSTEM}|${value}\\,b`, (value) => identified(`${value},b`)],
  ['an identifier of any system', (value) => `identifier=${value}`, identified],
  ['the beginning of a name', (value) => `family=${value.slice(0, 20)}`, named],
  [
    'criteria on another resource',
    (value) => `identifier=${SYSTEM}|${value}&general-practitioner.identifier=x`,
    identified,
  ],
  [
    'criteria on those that refer to it',
    (value) => `identifier=${SYSTEM}|${value}&_has:Observation:patient:code=x`,
    identified,
  ],
  ['criteria with a negation', (value) => `identifier=${SYSTEM}|${value}&gender:not=male`, identified],
]

test.each(MET)('%s is 201, and 200 once it is stored where that is found', async (what, criteriaFor, resourceFor) => {
  const value = randomUUID()
  const send = () => server.fhir('POST', '/Patient', resourceFor(value), { 'if-none-exist': criteriaFor(value) })
  expect((await send()).status).toBe(201)
  if (!what.startsWith('criteria on')) expect((await send()).status).toBe(200)
})

/** The status and the body of a request whose bytes are sent as they are. */
function sendBytes(head: string, body = ''): Promise<string> {
  const { port } = new URL(server.url)
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = []
    const socket = connect(Number(port), '127.0.0.1', () => {
      socket.write(
        Buffer.from(
          `${head}\r\nHost: 127.0.0.1\r\nConnection: close\r\nContent-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
        ),
      )
    })
    socket.on('data', (chunk) => chunks.push(chunk)).on('error', reject)
    socket.on('close', () => resolve(Buffer.concat(chunks).toString('utf8')))
  })
}

describe('UTF-8 that is sent as it is', () => {
  test.each(['Größ', 'José', '王小明', 'Ångström', 'Łukasz'])('in If-None-Exist is read as UTF-8: %s', async (name) => {
    const value = `${name}-${randomUUID()}`
    const send = () =>
      sendBytes(
        `POST /Patient HTTP/1.1\r\nAuthorization: Bearer ${server.token}\r\nContent-Type: application/fhir+json\r\nIf-None-Exist: identifier=${SYSTEM}|${value}`,
        JSON.stringify(identified(value)),
      )
    expect(await send()).toMatch(/^HTTP\/1\.1 201/)
    expect(await send()).toMatch(/^HTTP\/1\.1 200/)
  })

  test('in an address is 400, and says to percent-encode it', async () => {
    const answer = await sendBytes('GET /Patient?family=Größ HTTP/1.1')
    expect(answer).toMatch(/^HTTP\/1\.1 400/)
    expect(answer).toContain('percent-encoded')
    expect(answer).toContain('%C3%B6')
  })
})
