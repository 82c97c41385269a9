/** Long base64 in resources: it comes and goes as short base64 does, and is never in their texts. */
import { createHash } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { CONTENT } from '../../src/repository/used-content.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { MEGABYTE, note, pdf } from '../support/inline-content.ts'
import { exchangeOf } from '../support/journal.ts'
import type { FhirResponse } from '../support/server.ts'
import { OTHER_CLINIC, startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
let ours: TwoClinics['ours']

beforeAll(async () => {
  clinics = await startTwoClinics({ DATABASE_URL: await newLastingDatabaseUrl() }, { workThreads: 2 })
  ours = clinics.ours
  await ours('PUT', '/Patient/pat', { resourceType: 'Patient', id: 'pat' })
})
afterAll(() => clinics.server.close())

/** The limit of bodies. */
const LIMIT = 32 * MEGABYTE

const dataOf = (resource: { content: { attachment: { data: string } }[] }) => resource.content[0]?.attachment.data

const inXml = (bytes: Buffer, quote = '"') =>
  `<DocumentReference xmlns="http://hl7.org/fhir"><status value="current"/><subject><reference value="Patient/pat"/></subject><content><attachment><contentType value="application/pdf"/><data value=${quote}${bytes.toString('base64')}${quote}/></attachment></content></DocumentReference>`

const XML = { 'content-type': 'application/fhir+xml', accept: 'application/fhir+xml' }

/** The text of the resource in the store. */
const stored = async (type: string, id: string): Promise<string> =>
  (await (await clinics.server.app.repository.reader('demo-clinic')).read(type, id))?.text ?? ''

const SMALL = pdf(40_000)

describe('a document of 20 MiB', () => {
  const large = pdf(20 * MEGABYTE)

  test.each([
    ['JSON', {}],
    ['XML', XML],
  ])('is taken in %s, and given back in either format, pretty or not', async (_format, headers) => {
    const body = headers === XML ? inXml(large) : note(large)
    const created = await ours('POST', '/DocumentReference', body, { ...headers, prefer: 'return=minimal' })
    expect([created.status, created.text]).toEqual([201, ''])
    const path = `/DocumentReference/${created.headers.get('location')?.split('/').at(-3)}`
    const read = await ours('GET', path)
    expect(dataOf(read.body) === large.toString('base64')).toBe(true)
    expect(Number(read.headers.get('content-length'))).toBe(Buffer.byteLength(read.text))
    const xml = await ours('GET', `${path}?_pretty=true`, undefined, { accept: 'application/fhir+xml' })
    expect(xml.text.includes(`<data value="${large.toString('base64')}"/>`)).toBe(true)
    expect(Number(xml.headers.get('content-length'))).toBe(Buffer.byteLength(xml.text))
  })

  test('is described by its size and its hash in the journal, in what came and in what was answered', async () => {
    const created = await exchangeOf({ fhir: ours }, await ours('POST', '/DocumentReference', note(large)))
    const sha256 = createHash('sha256').update(large).digest('hex')
    for (const { body } of [created.request, created.response])
      expect(body.text).toContain(`[content: ${large.length} bytes, sha256 ${sha256}]"`)
  })

  test('is not in the text of its resource', async () => {
    const { body } = await ours('POST', '/DocumentReference', note(large))
    expect(dataOf(body) === large.toString('base64')).toBe(true)
    expect((await stored('DocumentReference', body.id)).length).toBeLessThan(1_000)
  })
})

describe('a content', () => {
  test('is in all answers that have its resource', async () => {
    const identifier = [{ system: 'urn:x', value: 'everywhere' }]
    const patient = (await ours('POST', '/Patient', { resourceType: 'Patient' })).body
    const subject = { reference: `Patient/${patient.id}` }
    const created = (await ours('POST', '/DocumentReference', note(SMALL, { identifier, subject }))).body
    const data = SMALL.toString('base64')
    expect(dataOf(created)).toBe(data)
    const path = `/DocumentReference/${created.id}`
    const answers: readonly (readonly [string, (answer: FhirResponse) => unknown])[] = [
      [path, ({ body }) => dataOf(body)],
      [`${path}/_history/1`, ({ body }) => dataOf(body)],
      [`${path}/_history`, ({ body }) => dataOf(body.entry[0].resource)],
      ['/DocumentReference?identifier=everywhere', ({ body }) => dataOf(body.entry[0].resource)],
      [
        `/Patient?_id=${patient.id}&_revinclude=DocumentReference:subject`,
        ({ body }) => dataOf(body.entry[1].resource),
      ],
      [`/Patient/${patient.id}/$everything`, ({ body }) => dataOf(body.entry[1].resource)],
      [`${path}?_elements=content`, ({ body }) => dataOf(body)],
      [`${path}?_pretty=true`, ({ body }) => dataOf(body)],
    ]
    for (const [address, find] of answers) {
      const answer = await ours('GET', address)
      expect([address, find(answer) === data]).toEqual([address, true])
      expect(answer.text).not.toContain('urn:sandbox-emr:content')
      expect(Number(answer.headers.get('content-length'))).toBe(Buffer.byteLength(answer.text))
      const head = await ours('HEAD', address)
      expect([address, head.text, head.headers.get('content-length')]).toEqual([
        address,
        '',
        answer.headers.get('content-length'),
      ])
    }
    expect((await ours('GET', path, undefined, { 'if-none-match': 'W/"1"' })).status).toBe(304)
  })

  test('is left out of a summary, and where other elements are asked for', async () => {
    const photo = [{ contentType: 'image/png', data: SMALL.toString('base64') }]
    const { body } = await ours('POST', '/Patient', { resourceType: 'Patient', photo })
    expect(body.photo).toEqual(photo)
    for (const query of ['_summary=true', '_elements=name']) {
      expect((await ours('GET', `/Patient/${body.id}?${query}`)).text).not.toContain('data')
    }
  })

  test('of an element that must be there is left out too, unless that is asked for by its name', async () => {
    const { body } = await ours('POST', '/DocumentReference', note(SMALL))
    const [read, search] = [`/DocumentReference/${body.id}?`, `/DocumentReference?_id=${body.id}&`]
    const attachmentOf = ({ body: answer }: FhirResponse) =>
      (answer.entry?.[0].resource ?? answer).content[0].attachment
    for (const address of [read, search]) {
      for (const query of ['_summary=true', '_summary=text', '_elements=status', '_elements=subject,date']) {
        const attachment = attachmentOf(await ours('GET', `${address}${query}`))
        expect([query, attachment]).toEqual([
          query,
          { contentType: 'application/pdf', size: SMALL.length, hash: expect.any(String) },
        ])
      }
      for (const query of ['_summary=data', '_summary=false', '_elements=content', '_elements=content.attachment']) {
        expect(attachmentOf(await ours('GET', `${address}${query}`)).data).toBe(SMALL.toString('base64'))
      }
    }
    const numbers = { origin: { value: 0 }, period: 1, dimensions: 1, data: '1 2 3' }
    const observation = { resourceType: 'Observation', status: 'final', code: { text: 'x' }, valueSampledData: numbers }
    const { id } = (await ours('POST', '/Observation', observation)).body
    expect((await ours('GET', `/Observation/${id}?_summary=true`)).body.valueSampledData).toEqual(numbers)
  })

  test('cannot be copied by a patch to what is no data', async () => {
    const { body } = await ours('POST', '/DocumentReference', note(SMALL))
    const copy = [{ op: 'copy', from: '/content/0/attachment/data', path: '/content/0/attachment/title' }]
    const refused = await ours('PATCH', `/DocumentReference/${body.id}`, copy)
    expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([
      422,
      "A long 'data' cannot be the value of 'title'",
    ])
    expect((await ours('GET', `/DocumentReference/${body.id}`)).body.meta.versionId).toBe('1')
  })

  test('is given back without the white space and the escapes that it came with', async () => {
    const lines = SMALL.toString('base64').replace(/.{76}/g, '$&\\r\\n').replaceAll('/', '\\/')
    const text = JSON.stringify(note(SMALL)).replace(SMALL.toString('base64'), lines)
    const { status, body } = await ours('POST', '/DocumentReference', text)
    expect([status, dataOf(body)]).toEqual([201, SMALL.toString('base64')])
  })

  test('stays when another element is patched, and goes when it is patched itself', async () => {
    const { body } = await ours('POST', '/DocumentReference', note(SMALL))
    const path = `/DocumentReference/${body.id}`
    const described = await ours('PATCH', path, [{ op: 'add', path: '/description', value: 'A letter' }])
    expect([described.status, dataOf(described.body)]).toEqual([200, SMALL.toString('base64')])
    const attachment = { contentType: 'application/pdf', data: pdf(50_000, 2).toString('base64') }
    const added = await ours('PATCH', path, [{ op: 'add', path: '/content/-', value: { attachment } }])
    expect(added.body.content[1].attachment).toMatchObject(attachment)
    // They are of the content that was there before.
    const measures = [0, 1].flatMap((index) =>
      ['size', 'hash'].map((name) => ({ op: 'remove', path: `/content/${index}/attachment/${name}` })),
    )
    const replaced = await ours('PATCH', path, [
      ...measures,
      { op: 'replace', path: '/content/0/attachment/contentType', value: 'text/plain' },
      { op: 'copy', from: '/content/0/attachment/data', path: '/content/1/attachment/data' },
      { op: 'replace', path: '/content/0/attachment/data', value: 'SGVsbG8=' },
    ])
    expect(replaced.body.content.map(dataIn)).toEqual(['SGVsbG8=', SMALL.toString('base64')])
    const removed = await ours('PATCH', path, [{ op: 'remove', path: '/content/1' }])
    expect(removed.text).not.toContain('sandbox-emr:content')
    const grown = pdf(60_000, 3).toString('base64')
    const put = [
      ...['size', 'hash'].map((name) => ({ op: 'remove', path: `/content/0/attachment/${name}` })),
      { op: 'replace', path: '/content/0/attachment/contentType', value: 'application/pdf' },
      { op: 'replace', path: '/content/0/attachment/data', value: grown },
    ]
    expect((await ours('PATCH', path, put)).body.content.map(dataIn)).toEqual([grown])
    expect((await stored('DocumentReference', body.id)).length).toBeLessThan(1_000)
    const xmlPatch =
      '<diff xmlns:f="http://hl7.org/fhir"><replace sel="f:DocumentReference/f:status/@value">superseded</replace></diff>'
    const one = await ours('POST', '/DocumentReference', note(SMALL))
    const patched = await ours('PATCH', `/DocumentReference/${one.body.id}`, xmlPatch, {
      'content-type': 'application/xml-patch+xml',
    })
    expect([patched.body.status, dataOf(patched.body)]).toEqual(['superseded', SMALL.toString('base64')])
  })

  test.each([
    ['its element', '/content/0/attachment', (attachment: object) => attachment],
    ['itself', '/content/0/attachment/data', ({ data }: { readonly data?: string }) => data],
  ])('is compared by a patch that tests %s', async (_what, path, tested) => {
    const { body } = await ours('POST', '/DocumentReference', note(SMALL))
    const address = `/DocumentReference/${body.id}`
    const { attachment } = (await ours('GET', address)).body.content[0]
    const described = (value: unknown) =>
      ours('PATCH', address, [
        { op: 'test', path, value },
        { op: 'add', path: '/description', value: 'A letter' },
      ])
    expect((await described(tested({ ...attachment, data: pdf(40_000, 7).toString('base64') }))).status).toBe(422)
    expect(await described(tested(attachment))).toMatchObject({ status: 200, body: { description: 'A letter' } })
  })

  test('that is new may come in several entries of a transaction', async () => {
    const same = pdf(40_000, 11)
    const entry = [1, 2].map(() => ({
      request: { method: 'POST', url: 'DocumentReference' },
      resource: note(same),
    }))
    const answer = await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect(answer.status).toBe(200)
    for (const { response } of answer.body.entry) {
      const read = await ours('GET', new URL(response.location).pathname.replace(/\/_history.*/, ''))
      expect(dataOf(read.body)).toBe(same.toString('base64'))
    }
  })

  const dataIn = ({ attachment }: { attachment: { data: string } }) => attachment.data

  test('may come in each entry of a batch', async () => {
    const documents = [1, 2, 3, 4].map((seed) => pdf(100_000, seed))
    const entry = documents.map((bytes) => ({
      request: { method: 'POST', url: 'DocumentReference' },
      resource: note(bytes),
    }))
    const answer = await ours(
      'POST',
      '/',
      { resourceType: 'Bundle', type: 'batch', entry },
      { prefer: 'return=representation' },
    )
    const found = answer.body.entry.map(({ resource }: { resource: Parameters<typeof dataOf>[0] }) => dataOf(resource))
    expect(found).toEqual(documents.map((bytes) => bytes.toString('base64')))
  })

  test('that is broken in one entry of a batch leaves the others', async () => {
    const entry = [note(SMALL), { ...note(SMALL), content: [{ attachment: { data: `${'A'.repeat(20_000)}*` } }] }].map(
      (resource) => ({ request: { method: 'POST', url: 'DocumentReference' }, resource }),
    )
    const answer = await ours('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    const statuses = answer.body.entry.map(({ response }: { response: { status: string } }) =>
      response.status.slice(0, 3),
    )
    expect(statuses).toEqual(['201', '422'])
  })

  test('is not the numbers of SampledData, however many', async () => {
    const numbers = { origin: { value: 0 }, period: 1, dimensions: 1, data: '1 2 3 4 '.repeat(5_000).trim() }
    const { status, body } = await ours('POST', '/Observation', {
      resourceType: 'Observation',
      status: 'final',
      code: { text: 'x' },
      valueSampledData: numbers,
    })
    expect([status, body.valueSampledData]).toEqual([201, numbers])
    expect((await stored('Observation', body.id)).length).toBeGreaterThan(numbers.data.length)
  })

  test('of a Binary may come in a transaction, with the document that refers to it', async () => {
    const entry = [
      {
        fullUrl: 'urn:uuid:6f1b4c54-93fd-4f4a-8d59-5e4d8b1c6f11',
        request: { method: 'POST', url: 'Binary' },
        resource: { resourceType: 'Binary', contentType: 'application/pdf', data: SMALL.toString('base64') },
      },
      {
        request: { method: 'POST', url: 'DocumentReference' },
        resource: {
          resourceType: 'DocumentReference',
          status: 'current',
          subject: { reference: 'Patient/pat' },
          content: [
            { attachment: { contentType: 'application/pdf', url: 'urn:uuid:6f1b4c54-93fd-4f4a-8d59-5e4d8b1c6f11' } },
          ],
        },
      },
    ]
    const answer = await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect(answer.status).toBe(200)
    const [binary] = answer.body.entry
    const path = new URL(binary.response.location).pathname
    const read = await ours('GET', path, undefined, { accept: 'application/fhir+json' })
    expect(read.body.data).toBe(SMALL.toString('base64'))
  })

  test('of a Binary is kept apart by whichever media type it comes', async () => {
    const binary = { resourceType: 'Binary', contentType: 'application/pdf', data: pdf(20_000, 5).toString('base64') }
    const ids: string[] = []
    for (const type of ['application/fhir+json', 'application/json']) {
      const { status, body } = await ours('POST', '/Binary', binary, { 'content-type': type, accept: type })
      expect([type, status, body.data === binary.data]).toEqual([type, 201, true])
      expect((await stored('Binary', body.id)).length).toBeLessThan(1_000)
      ids.push(body.id)
    }
    const xml = await ours('GET', `/Binary?_id=${ids}`, undefined, { accept: 'text/xml' })
    expect(xml.text).toContain(`<data value="${binary.data}"/>`)
  })

  test('of a Binary that holds the patch of an entry is read', async () => {
    const { body } = await ours('POST', '/Basic', { resourceType: 'Basic', code: { text: 'x' } })
    const patch = [{ op: 'replace', path: '/code/text', value: 'y'.repeat(20_000) }]
    const data = Buffer.from(JSON.stringify(patch)).toString('base64')
    const entry = [
      {
        request: { method: 'PATCH', url: `Basic/${body.id}` },
        resource: { resourceType: 'Binary', contentType: 'application/json-patch+json', data },
      },
    ]
    await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect((await ours('GET', `/Basic/${body.id}`)).body.code.text).toHaveLength(20_000)
  })

  test('is validated like any other', async () => {
    const parameters = (resource: object) => ({
      resourceType: 'Parameters',
      parameter: [{ name: 'resource', resource }],
    })
    const good = await ours('POST', '/DocumentReference/$validate', parameters(note(SMALL)))
    const small = await ours('POST', '/DocumentReference/$validate', parameters(note(SMALL.subarray(0, 100))))
    expect([good.status, good.body]).toEqual([200, small.body])
    const { content } = note(SMALL)
    const untyped = { ...note(SMALL), content: [{ attachment: { data: content[0]?.attachment.data } }] }
    const bad = await ours('POST', '/DocumentReference', untyped)
    expect([bad.status, bad.body.issue[0].diagnostics]).toEqual([422, expect.stringContaining('att-1')])
  })
})

const CLINIC = 'demo-clinic'
const repository = () => clinics.server.app.repository
const contentsOf = async (clinic = CLINIC): Promise<readonly string[]> =>
  (await repository().records(CONTENT, { clinic, limit: 1_000 })).map(({ key }) => key)
describe('what is refused', () => {
  const refusal = async (body: unknown, headers?: Record<string, string>) => {
    const answer = await ours('POST', '/DocumentReference', body, headers)
    return [answer.status, answer.body?.issue[0].diagnostics ?? answer.text, answer.body?.issue[0].expression]
  }
  const DATA = 'DocumentReference.content[0].attachment.data'

  test('leaves nothing behind', async () => {
    const kept = await contentsOf()
    const bytes = pdf(60_000, 77)
    expect((await ours('POST', '/DocumentReference', { ...note(bytes), status: 'x' })).status).toBe(422)
    expect((await ours('POST', '/DocumentReference', `${JSON.stringify(note(bytes))}}`)).status).toBe(400)
    expect((await ours('POST', '/Nothing', note(bytes))).status).toBe(404)
    // The first entry of it is written, and then the second one refused.
    const entry = [note(bytes), { ...note(bytes), subject: { reference: 'Patient/nobody' } }].map((resource) => ({
      request: { method: 'POST', url: 'DocumentReference' },
      resource,
    }))
    expect((await ours('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })).status).toBe(422)
    expect((await ours('POST', '/DocumentReference', note(bytes), { authorization: 'Bearer x' })).status).toBe(401)
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const isGone = async () => !(await contentsOf()).includes(sha256)
    while (!(await isGone())) await new Promise((resolve) => setTimeout(resolve, 5))
    expect(await contentsOf()).toEqual(kept)
  })

  test('is base64 that is cut off, or is none, with its place', async () => {
    const text = JSON.stringify(note(SMALL))
    const { length } = SMALL.toString('base64')
    expect(await refusal(text.replace(/.{3}"}}]/, '"}}]'))).toEqual([
      422,
      expect.stringMatching(
        `^${RegExp.escape(DATA)} must be base64 .*ends at character ${length - 3} within a group of four`,
      ),
      [DATA],
    ])
    const url = text.replace('"data":"', '"data":"data:application/pdf;base64,')
    expect(await refusal(url)).toEqual([422, expect.stringContaining('it is not from character 5 on'), [DATA]])
    const late = text.replace(/("data":".{20000})./, '$1*')
    expect(await refusal(late)).toEqual([422, expect.stringContaining('it is not from character 20001 on'), [DATA]])
    const xml = inXml(SMALL).replace(/(<data value=".{20000})./, '$1*')
    expect(await refusal(xml, XML)).toEqual([
      422,
      expect.stringContaining('it is not from character 20001 on'),
      undefined,
    ])
  })

  test('is a body that is larger than any may be, with its contents', async () => {
    expect(await refusal(note(pdf(25 * MEGABYTE)))).toEqual([
      413,
      `The body is larger than ${LIMIT} bytes, the most this server takes`,
      undefined,
    ])
  })
})

test('/metadata says how large bodies and contents may be', async () => {
  const { body } = await ours('GET', '/metadata')
  expect(body.rest[0].documentation).toContain(`a body has ${LIMIT} bytes at most`)
})

describe('a marker that a client sends', () => {
  const withMarker = (bytes: Buffer) => {
    const sha256 = createHash('sha256').update(bytes).digest('hex')
    const _data = { extension: [{ url: 'urn:sandbox-emr:content', valueString: sha256 }] }
    return { ...note(bytes), content: [{ attachment: { contentType: 'application/pdf', _data } }] }
  }

  test('is refused where its clinic has no such content, though another one has', async () => {
    const bytes = pdf(50_000, 99)
    expect((await ours('POST', '/DocumentReference', withMarker(bytes))).status).toBe(422)
    expect((await ours('POST', '/DocumentReference', note(bytes))).status).toBe(201)
    await clinics.theirs('PUT', '/Patient/pat', { resourceType: 'Patient', id: 'pat' })
    const refused = await clinics.theirs('POST', '/DocumentReference', withMarker(bytes))
    expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('There is no content')])
    expect(await contentsOf(OTHER_CLINIC)).toEqual([])
  })

  test('stands for the content of its own clinic', async () => {
    await ours('POST', '/DocumentReference', note(SMALL))
    const { body } = await ours('POST', '/DocumentReference', withMarker(SMALL))
    expect(dataOf(body)).toBe(SMALL.toString('base64'))
  })

  test('is refused in another spelling', async () => {
    const marked = withMarker(SMALL)
    const text = JSON.stringify(marked).replace(/"url":"(.*?)","valueString":"(.*?)"/, '"valueString":"$2","url":"$1"')
    expect((await ours('POST', '/DocumentReference', text)).status).toBe(422)
  })
})
