/** Long base64 whose element has an id or extensions (`_data`): it comes and goes as short base64 does. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { parseJson } from '../../src/fhir/json.ts'
import { readXml } from '../../src/fhir/xml/read.ts'
import { writeXml } from '../../src/fhir/xml/write.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { note, pdf } from '../support/inline-content.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ DATABASE_URL: await newLastingDatabaseUrl() }, { workThreads: 1 })
  await server.fhir('PUT', '/Patient/pat', { resourceType: 'Patient', id: 'pat' })
})
afterAll(() => server.close())

const LONG = pdf(40_000).toString('base64')
const OTHER = pdf(50_000, 2).toString('base64')
const EXTENSION = [
  { url: 'urn:one', valueString: 'a "quoted" text, <b>' },
  { url: 'urn:two', extension: [{ url: 'three', valueBase64Binary: 'AAAA' }] },
]
const absent = {
  extension: [{ url: 'http://hl7.org/fhir/StructureDefinition/data-absent-reason', valueCode: 'masked' }],
}
const XML = { 'content-type': 'application/fhir+xml', accept: 'application/fhir+xml' }

const contentType = 'application/pdf'
const title = 'A letter'

/** Attachments by the elements beside their `data`. */
const ATTACHMENTS: Readonly<Record<string, object>> = {
  'an id': { contentType, data: LONG, _data: { id: 'x' }, title },
  extensions: { contentType, data: LONG, _data: { extension: EXTENSION }, title },
  'an id and extensions': { contentType, data: LONG, _data: { id: 'x', extension: EXTENSION }, title },
  'both, in front of it': { contentType, _data: { id: 'x', extension: EXTENSION }, title, data: LONG },
  'an id that needs escapes in XML': { contentType, data: LONG, _data: { id: 'a"<&' }, title },
}

const withAttachments = (...attachments: readonly object[]) => ({
  ...note(Buffer.from('x')),
  content: attachments.map((attachment) => ({ attachment })),
})

/** Where a resource may have it. */
const RESOURCES: readonly (readonly [string, object])[] = [
  ...Object.entries(ATTACHMENTS).map(([name, one]) => [`an attachment, with ${name}`, withAttachments(one)] as const),
  [
    'one of several attachments',
    withAttachments(
      { contentType, data: OTHER, title },
      { contentType, data: LONG, _data: { id: 'x' } },
      { contentType: 'text/plain', data: 'SGVsbG8=', _data: { id: 'y', extension: EXTENSION } },
      { contentType, _data: absent, title },
      { contentType, data: LONG, _data: { id: 'z', extension: EXTENSION } },
    ),
  ],
  ['a Binary', { resourceType: 'Binary', contentType, data: LONG, _data: { id: 'x', extension: EXTENSION } }],
  [
    'photos',
    {
      resourceType: 'Patient',
      photo: [
        { contentType, _data: { id: 'x' }, data: LONG },
        { contentType, data: OTHER },
      ],
    },
  ],
  [
    'contained resources',
    {
      ...withAttachments({ contentType, url: '#file' }),
      contained: [{ resourceType: 'Binary', id: 'file', contentType, _data: { extension: EXTENSION }, data: LONG }],
    },
  ],
]

const typeOf = (resource: object) => (resource as { resourceType: string }).resourceType

/** Without the elements that the server adds. */
function expectSame(answered: Record<string, unknown>, sent: object): void {
  const { id: _id, meta: _meta, ...rest } = answered
  const text = JSON.stringify(rest, (name, value) => (name === 'size' || name === 'hash' ? undefined : value))
  expect(JSON.parse(text)).toEqual(sent)
}

const jsonOf = ({ text, headers }: FhirResponse): Record<string, unknown> =>
  headers.get('content-type')?.includes('xml') ? JSON.parse(JSON.stringify(readXml(text))) : JSON.parse(text)

/** By all reads, in both formats. */
async function expectEverywhere(type: string, id: string, version: number, sent: object): Promise<void> {
  const path = `/${type}/${id}`
  for (const accept of ['application/fhir+json', 'application/fhir+xml']) {
    for (const address of [
      path,
      `${path}?_pretty=true`,
      `${path}/_history/${version}`,
      `/${type}?_id=${id}`,
      `${path}/_history`,
    ]) {
      const answer = await server.fhir('GET', address, undefined, { accept })
      expect(answer.text).not.toContain('urn:sandbox-emr:content')
      expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(answer.text))
      const body = jsonOf(answer)
      const { entry } = body as { entry?: readonly { resource: Record<string, unknown> }[] }
      expectSame(entry?.[0]?.resource ?? body, sent)
    }
  }
}

const stored = async (type: string, id: string): Promise<string> =>
  (await (await server.app.repository.reader('demo-clinic')).read(type, id))?.text ?? ''

describe.each(RESOURCES)('in %s', (_name, resource) => {
  const type = typeOf(resource)
  const entryOf = (method: string, url: string, body: object) => ({
    resourceType: 'Bundle',
    type: 'transaction',
    entry: [{ request: { method, url }, resource: body }],
  })

  test('is stored by create and update, and read back, in JSON', async () => {
    const { status, body, text } = await server.fhir('POST', `/${type}`, resource)
    expect([status, text.slice(0, 1_000)]).toEqual([201, expect.not.stringContaining('OperationOutcome')])
    expectSame(body, resource)
    await expectEverywhere(type, body.id, 1, resource)
    expect((await stored(type, body.id)).length).toBeLessThan(4_000)
    const updated = await server.fhir('PUT', `/${type}/${body.id}`, { ...resource, id: body.id, language: 'en' })
    expectSame(updated.body, { ...resource, language: 'en' })
    await expectEverywhere(type, body.id, 2, { ...resource, language: 'en' })
  })

  test('is stored from XML', async () => {
    const sent = writeXml(parseJson(JSON.stringify(resource)) as Record<string, unknown>)
    const answer = await server.fhir('POST', `/${type}`, sent, XML)
    expect([answer.status, answer.text.slice(0, 1_000)]).toEqual([201, expect.not.stringContaining('OperationOutcome')])
    const id = String(jsonOf(answer)['id'])
    expectSame(jsonOf(answer), resource)
    await expectEverywhere(type, id, 1, resource)
    expect((await stored(type, id)).length).toBeLessThan(4_000)
  })

  test('is stored by a transaction, and answered by it', async () => {
    const id = `t-${Math.random()}`
    const bundle = entryOf('PUT', `${type}/${id}`, { ...resource, id })
    const { body } = await server.fhir('POST', '/', bundle, { prefer: 'return=representation' })
    expectSame(body.entry[0].resource, resource)
    await expectEverywhere(type, id, 1, resource)
  })

  test('stays when something else is patched', async () => {
    const { body } = await server.fhir('POST', `/${type}`, resource)
    const patches: readonly (readonly [unknown, string])[] = [
      [[{ op: 'add', path: '/language', value: 'en' }], 'application/json-patch+json'],
      [
        '<diff xmlns:f="http://hl7.org/fhir"><replace sel="f:*/f:language/@value">de</replace></diff>'.replace(
          'f:*',
          `f:${type}`,
        ),
        'application/xml-patch+xml',
      ],
      [
        {
          resourceType: 'Parameters',
          parameter: [
            {
              name: 'operation',
              part: [
                { name: 'type', valueCode: 'replace' },
                { name: 'path', valueString: `${type}.language` },
                { name: 'value', valueCode: 'fr' },
              ],
            },
          ],
        },
        'application/fhir+json',
      ],
    ]
    for (const [index, [patch, contentType]] of patches.entries()) {
      const language = ['en', 'de', 'fr'][index]
      const answer = await server.fhir('PATCH', `/${type}/${body.id}`, patch, { 'content-type': contentType })
      expect([answer.status, answer.text.slice(0, 1_000)]).toEqual([200, expect.anything()])
      expectSame(answer.body, { ...resource, language })
    }
    await expectEverywhere(type, body.id, 4, { ...resource, language: 'fr' })
  })
})

describe('a patch', () => {
  const PATH = '/content/0/attachment'
  const patched = async (attachment: object, ...operations: readonly object[]) => {
    const { body } = await server.fhir('POST', '/DocumentReference', withAttachments(attachment))
    const answer = await server.fhir('PATCH', `/DocumentReference/${body.id}`, operations)
    expect([answer.status, answer.text.slice(0, 1_000)]).toEqual([200, expect.anything()])
    return answer.body
  }
  const plain = { contentType, data: LONG }
  const element = { id: 'x', extension: EXTENSION }

  test('gives long base64 an id and extensions, changes them and takes them away', async () => {
    const added = await patched(plain, { op: 'add', path: `${PATH}/_data`, value: element })
    expectSame(added, withAttachments({ ...plain, _data: element }))
    const whole = { ...plain, _data: element }
    const changed = await patched(whole, { op: 'replace', path: `${PATH}/_data/id`, value: 'y' })
    expectSame(changed, withAttachments({ ...plain, _data: { ...element, id: 'y' } }))
    expectSame(await patched(whole, { op: 'remove', path: `${PATH}/_data` }), withAttachments(plain))
    const alone = await patched(
      whole,
      ...['data', 'size', 'hash'].map((name) => ({ op: 'remove', path: `${PATH}/${name}` })),
    )
    expectSame(alone, withAttachments({ contentType, _data: element }))
  })

  test('brings both, at once or one after the other', async () => {
    const whole = { contentType, _data: element, data: OTHER }
    const ways: readonly (readonly object[])[] = [
      [{ op: 'add', path: '/content/-', value: { attachment: whole } }],
      [
        { op: 'add', path: '/content/-', value: { attachment: { contentType, data: OTHER } } },
        { op: 'add', path: '/content/1/attachment/_data', value: element },
      ],
    ]
    for (const operations of ways) expectSame(await patched(plain, ...operations), withAttachments(plain, whole))
  })
})

test('is in $everything, $validate takes it, and a summary leaves it out', async () => {
  const subject = {
    reference: `Patient/${(await server.fhir('POST', '/Patient', { resourceType: 'Patient' })).body.id}`,
  }
  const resource = {
    ...withAttachments({ contentType, _data: { id: 'x', extension: EXTENSION }, data: LONG }),
    subject,
  }
  const { id } = (await server.fhir('POST', '/DocumentReference', resource)).body
  const everything = await server.fhir('GET', `/${subject.reference}/$everything`)
  expect([everything.status, everything.text.slice(0, 400)]).toEqual([200, expect.stringContaining('entry')])
  expectSame(everything.body.entry[1].resource, resource)
  const parameters = { resourceType: 'Parameters', parameter: [{ name: 'resource', resource }] }
  const validated = await server.fhir('POST', '/DocumentReference/$validate', parameters)
  expect(validated.body.issue.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([])
  const summary = await server.fhir('GET', `/DocumentReference/${id}?_summary=true`)
  expect(summary.text).not.toMatch(/urn:one|_data|sandbox-emr:content/)
})

test.each([
  ['an empty object', '{}'],
  ['null', 'null'],
  ['a text', '"x"'],
  ['an empty list of extensions', '{"extension":[]}'],
  ['two of them', '{"id":"x"},"_data":{"id":"y"}'],
  ['the extension of the server', '{"extension":[{"url":"urn:sandbox-emr:content","valueString":"x"}]}'],
])('%s beside it is refused', async (_name, element) => {
  const text = JSON.stringify(withAttachments({ contentType, data: LONG, _data: 0 })).replace(
    '"_data":0',
    `"_data":${element}`,
  )
  const answer = await server.fhir('POST', '/DocumentReference', text)
  expect([answer.status, answer.body.issue[0].diagnostics]).toEqual([
    expect.any(Number),
    expect.stringContaining('data'),
  ])
  expect([400, 422]).toContain(answer.status)
})
