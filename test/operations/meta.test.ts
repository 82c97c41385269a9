/** $meta, $meta-add, $meta-delete: https://hl7.org/fhir/R4/resource-operation-meta.html. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Coding, Meta } from 'fhir/r4'
import { startServer, type TestServer } from '../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const TAGS = 'http://example.org/tags'
const PROFILE = 'http://example.org/StructureDefinition/labelled'
const CONFIDENTIALITY = 'http://terminology.hl7.org/CodeSystem/v3-Confidentiality'
const tag = (code: string, more: Partial<Coding> = {}): Coding => ({ system: TAGS, code, ...more })
const parameters = (meta: unknown) => ({ resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: meta }] })

async function created(meta: Meta = {}, resourceType = 'Basic') {
  const { status, body } = await server.fhir('POST', `/${resourceType}`, {
    resourceType,
    ...(Object.keys(meta).length === 0 ? {} : { meta }),
    code: { text: 'x' },
  })
  expect(status).toBe(201)
  return body.id as string
}
const change = (operation: 'add' | 'delete', path: string, meta: unknown) =>
  server.fhir('POST', `${path}/$meta-${operation}`, parameters(meta))
const metaAt = async (path: string): Promise<Meta> => {
  const { status, body } = await server.fhir('GET', `${path}/$meta`)
  expect([status, body.resourceType, body.parameter.length, body.parameter[0].name]).toEqual([
    200,
    'Parameters',
    1,
    'return',
  ])
  return body.parameter[0].valueMeta
}
const found = async (query: string) => (await server.fhir('GET', `/Basic?${query}`)).body.total

describe('$meta', () => {
  test('of a resource is its meta, of a version the meta of that version', async () => {
    const id = await created({ tag: [tag('first')], profile: [PROFILE] })
    await server.fhir('PUT', `/Basic/${id}`, {
      resourceType: 'Basic',
      id,
      code: { text: 'x' },
      meta: { tag: [tag('second')], source: 'http://example.org/source' },
    })
    const current = await metaAt(`/Basic/${id}`)
    expect(current).toMatchObject({ versionId: '2', tag: [tag('second')], source: 'http://example.org/source' })
    expect(current).toEqual((await server.fhir('GET', `/Basic/${id}`)).body.meta)
    expect(await metaAt(`/Basic/${id}/_history/1`)).toMatchObject({
      versionId: '1',
      tag: [tag('first')],
      profile: [PROFILE],
    })
  })

  test('is answered to a POST too, with Parameters or without a body', async () => {
    const id = await created({ tag: [tag('posted')] })
    for (const body of [undefined, { resourceType: 'Parameters' }]) {
      const answer = await server.fhir('POST', `/Basic/${id}/$meta`, body)
      expect([answer.status, answer.body.parameter[0].valueMeta.tag]).toEqual([200, [tag('posted')]])
    }
  })

  test('of a type and of the clinic are the labels in use, each once, without version and time', async () => {
    await created({ tag: [tag('one', { display: 'One' }), tag('two')], profile: [PROFILE] }, 'Substance')
    await created({ tag: [tag('two'), { system: 'http://other', code: 'two' }] }, 'Substance')
    const secret = await created({ security: [{ system: CONFIDENTIALITY, code: 'R' }] }, 'Substance')
    expect(await metaAt('/Substance')).toEqual({
      profile: [PROFILE],
      security: [{ system: CONFIDENTIALITY, code: 'R' }],
      tag: [tag('one'), tag('two'), { system: 'http://other', code: 'two' }],
    })
    await created({ tag: [tag('elsewhere')] })
    const everywhere = await metaAt('')
    expect(everywhere.tag).toEqual(expect.arrayContaining([tag('one'), tag('two'), tag('elsewhere')]))
    expect(everywhere.versionId).toBeUndefined()
    await server.fhir('DELETE', `/Substance/${secret}`)
    expect((await metaAt('/Substance')).security).toBeUndefined()
  })

  test('of a type without labels is empty', async () => {
    const { status, body } = await server.fhir('GET', '/VisionPrescription/$meta')
    expect([status, body.parameter]).toEqual([200, [{ name: 'return', valueMeta: {} }]])
  })

  test.each<[path: string, status: number]>([
    ['/Basic/nobody/$meta', 404],
    ['/Basic/nobody/_history/1/$meta', 404],
    ['/Basic/nobody/_history/x/$meta', 404],
    ['/Basics/$meta', 404],
    ['/Basic/$meta?colour=red', 400],
  ])('%s is %i', async (path, status) => {
    const answer = await server.fhir('GET', path)
    expect([answer.status, answer.body.resourceType]).toEqual([status, 'OperationOutcome'])
  })

  test('of a deleted resource is 410, of its versions what they were', async () => {
    const id = await created({ tag: [tag('gone')] })
    await server.fhir('DELETE', `/Basic/${id}`)
    expect((await server.fhir('GET', `/Basic/${id}/$meta`)).status).toBe(410)
    expect((await server.fhir('GET', `/Basic/${id}/_history/2/$meta`)).status).toBe(410)
    expect((await metaAt(`/Basic/${id}/_history/1`)).tag).toEqual([tag('gone')])
  })
})

describe('$meta-add', () => {
  test('adds what is not there yet, as a new version that is found at once', async () => {
    const code = randomUUID()
    const id = await created({ tag: [tag('kept', { display: 'Kept' })] })
    const { status, body } = await change('add', `/Basic/${id}`, {
      tag: [tag('kept', { display: 'Another', version: '2' }), tag(code), tag(code, { display: 'Twice' })],
      security: [{ system: CONFIDENTIALITY, code: 'R' }],
      profile: [`${PROFILE}/${code}`],
    })
    expect(status).toBe(200)
    const { valueMeta } = body.parameter[0]
    expect(valueMeta).toMatchObject({
      versionId: '2',
      tag: [tag('kept', { display: 'Kept' }), tag(code)],
      security: [{ system: CONFIDENTIALITY, code: 'R' }],
      profile: [`${PROFILE}/${code}`],
    })
    expect((await server.fhir('GET', `/Basic/${id}`)).body.meta).toEqual(valueMeta)
    expect(await found(`_tag=${TAGS}|${code}`)).toBe(1)
    expect(await found(`_security=${CONFIDENTIALITY}|R&_id=${id}`)).toBe(1)
    expect(await found(`_profile=${PROFILE}/${code}`)).toBe(1)
    const { body: history } = await server.fhir('GET', `/Basic/${id}/_history`)
    expect(history.total).toBe(2)
  })

  test('of what is there already makes no version', async () => {
    const id = await created({ tag: [tag('kept')], profile: [PROFILE] })
    const { body } = await change('add', `/Basic/${id}`, { tag: [tag('kept', { display: 'x' })], profile: [PROFILE] })
    expect(body.parameter[0].valueMeta).toMatchObject({ versionId: '1', tag: [tag('kept')] })
    expect((await server.fhir('GET', `/Basic/${id}/_history`)).body.total).toBe(1)
  })

  test('leaves everything else as it is, also the digits of decimals', async () => {
    const text = '{"resourceType":"Observation","status":"final","code":{"text":"x"},"valueQuantity":{"value":1.500}}'
    const { id } = (await server.fhir('POST', '/Observation', text)).body
    await change('add', `/Observation/${id}`, { tag: [tag('a')] })
    expect((await server.fhir('GET', `/Observation/${id}`)).text).toContain('"value":1.500')
  })

  test('twenty at the same time are all there in the end', async () => {
    const id = await created()
    const codes = Array.from({ length: 20 }, (_none, index) => `parallel-${index}`)
    const answers = await Promise.all(codes.map((code) => change('add', `/Basic/${id}`, { tag: [tag(code)] })))
    expect(answers.map(({ status }) => status)).toEqual(codes.map(() => 200))
    expect((await metaAt(`/Basic/${id}`)).tag?.map(({ code }) => code).sort()).toEqual([...codes].sort())
  })
})

describe('$meta-delete', () => {
  test('takes away what is there, by system and code', async () => {
    const code = randomUUID()
    const id = await created({
      tag: [tag(code, { display: 'Shown' }), tag('kept')],
      security: [{ system: CONFIDENTIALITY, code: 'R' }],
      profile: [PROFILE, `${PROFILE}|2`],
    })
    const { body } = await change('delete', `/Basic/${id}`, {
      tag: [tag(code), tag('never'), { code: 'kept' }],
      security: [{ system: CONFIDENTIALITY, code: 'R', display: 'restricted' }],
      profile: [PROFILE],
    })
    const { valueMeta } = body.parameter[0]
    expect(valueMeta).toMatchObject({ versionId: '2', tag: [tag('kept')], profile: [`${PROFILE}|2`] })
    expect(valueMeta.security).toBeUndefined()
    expect(await found(`_tag=${TAGS}|${code}`)).toBe(0)
    expect((await metaAt(`/Basic/${id}/_history/1`)).tag).toHaveLength(2)
  })

  test('of what is not there is no error and makes no version', async () => {
    const id = await created({ tag: [tag('kept')] })
    const { status, body } = await change('delete', `/Basic/${id}`, { tag: [tag('never')] })
    expect([status, body.parameter[0].valueMeta.versionId]).toEqual([200, '1'])
  })
})

describe.each(['add', 'delete'] as const)('$meta-%s is refused', (operation) => {
  const id = `refused-${randomUUID()}`
  beforeAll(() => server.fhir('PUT', `/Basic/${id}`, { resourceType: 'Basic', id, code: { text: 'x' } }))

  test.each<[what: string, path: string, body: unknown, status: number]>([
    ['without a meta', `/Basic/${id}`, { resourceType: 'Parameters' }, 400],
    ['with a meta that is empty', `/Basic/${id}`, parameters({}), 400],
    ['with a meta without labels', `/Basic/${id}`, parameters({ source: 'http://a' }), 400],
    ['with a meta that is text', `/Basic/${id}`, parameters('x'), 400],
    ['with tags that are no list', `/Basic/${id}`, parameters({ tag: tag('a') }), 400],
    ['with a tag that is no Coding', `/Basic/${id}`, parameters({ tag: [{ colour: 'red' }] }), 400],
    ['with a tag without a code', `/Basic/${id}`, parameters({ tag: [{ system: TAGS }] }), 400],
    ['with a resource in place of Parameters', `/Basic/${id}`, { resourceType: 'Basic' }, 400],
    ['on nobody', '/Basic/nobody', parameters({ tag: [tag('a')] }), 404],
    ['on a type', '/Basic', parameters({ tag: [tag('a')] }), 404],
    ['on the clinic', '', parameters({ tag: [tag('a')] }), 404],
    ['on a version, which does not change any more', `/Basic/${id}/_history/1`, parameters({ tag: [tag('a')] }), 405],
  ])('%s', async (_what, path, body, status) => {
    const answer = await server.fhir('POST', `${path}/$meta-${operation}`, body)
    expect([answer.status, answer.body.resourceType]).toEqual([status, 'OperationOutcome'])
    expect((await metaAt(`/Basic/${id}`)).versionId).toBe('1')
  })

  test('as a GET, since it changes data, and in a transaction', async () => {
    expect((await server.fhir('GET', `/Basic/${id}/$meta-${operation}`)).status).toBe(405)
    const entry = [
      {
        resource: parameters({ tag: [tag('a')] }),
        request: { method: 'POST', url: `Basic/${id}/$meta-${operation}` },
      },
    ]
    const answer = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
    expect(answer.status).toBe(400)
    expect((await metaAt(`/Basic/${id}`)).versionId).toBe('1')
  })

  test('on what the server ships', async () => {
    const answer = await change(operation, '/OperationDefinition/patient-match', { tag: [tag('a')] })
    // There is nothing to take away, and nothing may be added.
    expect(answer.status).toBe(operation === 'add' ? 422 : 200)
  })
})

test('$meta-add is part of a batch', async () => {
  const id = await created()
  const entry = [
    { resource: parameters({ tag: [tag('batch')] }), request: { method: 'POST', url: `Basic/${id}/$meta-add` } },
  ]
  const { body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
  expect(body.entry[0].response.status).toBe('200 OK')
  expect((await metaAt(`/Basic/${id}`)).tag).toEqual([tag('batch')])
})

test('every type declares them, and the clinic $meta', async () => {
  const { rest } = (await server.fhir('GET', '/metadata')).body
  const wanted = ['meta', 'meta-add', 'meta-delete']
  const lacking = rest[0].resource.filter(
    ({ operation = [] }: { operation: { name: string }[] }) =>
      !wanted.every((name) => operation.some((one) => one.name === name)),
  )
  expect(lacking).toEqual([])
  expect(rest[0].operation).toContainEqual({
    name: 'meta',
    definition: 'http://hl7.org/fhir/OperationDefinition/Resource-meta',
  })
})

test('no other operation is called on a version', async () => {
  const answer = await server.fhir('GET', '/Patient/abernathy-ruth/_history/1/$everything')
  expect(answer.status).toBe(404)
  expect(answer.body.issue[0].diagnostics).toContain('a version of a Patient; it has $meta')
})

describe('another clinic', () => {
  let clinics: TwoClinics
  beforeAll(async () => {
    clinics = await startTwoClinics()
  })
  afterAll(() => clinics.server.close())

  test('sees none of our labels and changes none', async () => {
    const { id } = (
      await clinics.ours('POST', '/Basic', {
        resourceType: 'Basic',
        code: { text: 'x' },
        meta: { tag: [tag('ours')] },
      })
    ).body
    for (const path of ['', '/Basic']) {
      expect((await clinics.ours('GET', `${path}/$meta`)).text).toContain('"ours"')
      expect((await clinics.theirs('GET', `${path}/$meta`)).text).not.toContain('"ours"')
    }
    for (const path of [`/Basic/${id}/$meta`, `/Basic/${id}/_history/1/$meta`])
      expect((await clinics.theirs('GET', path)).status).toBe(404)
    for (const operation of ['add', 'delete']) {
      const answer = await clinics.theirs('POST', `/Basic/${id}/$meta-${operation}`, parameters({ tag: [tag('ours')] }))
      expect(answer.status).toBe(404)
    }
    expect((await clinics.ours('GET', `/Basic/${id}`)).body.meta.versionId).toBe('1')
  })
})
