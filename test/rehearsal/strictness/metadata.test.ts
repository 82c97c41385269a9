/** The CapabilityStatement of a strictness profile: what it offers is not refused out of hand, and what it lacks is. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { CapabilityStatement, CapabilityStatementRest } from 'fhir/r4'
import type { Profile } from '../../../src/rehearsal/strictness/profile.ts'
import { StrictnessProfiles } from '../../../src/rehearsal/strictness/profiles.ts'
import { type FhirResponse, request, startServer, type TestServer } from '../../support/server.ts'
import type { Example } from './examples/example.ts'

const PROFILES = new StrictnessProfiles().all

let server: TestServer
let plain: CapabilityStatement
beforeAll(async () => {
  server = await startServer()
  plain = (await server.fhir('GET', '/metadata')).body
})
afterAll(() => server.close())

/** Types about which profiles have rules, and some about which they have none. */
const TYPES: readonly string[] = [
  ...new Set([...PROFILES.flatMap(({ rules }) => rules.flatMap(({ on }) => on?.types ?? [])), 'Observation', 'Basic']),
]

const body = (resourceType: string, more: object = {}) => ({ resourceType, ...more })
const OF_TYPE: Readonly<Record<string, (type: string) => Example>> = {
  read: (type) => ({ method: 'GET', path: `/${type}/none` }),
  vread: (type) => ({ method: 'GET', path: `/${type}/none/_history/1` }),
  'history-instance': (type) => ({ method: 'GET', path: `/${type}/none/_history` }),
  'history-type': (type) => ({ method: 'GET', path: `/${type}/_history` }),
  'search-type': (type) => ({ method: 'GET', path: `/${type}?_id=none` }),
  create: (type) => ({ method: 'POST', path: `/${type}`, body: body(type) }),
  update: (type) => ({ method: 'PUT', path: `/${type}/none`, body: body(type, { id: 'none' }) }),
  patch: (type) => ({ method: 'PATCH', path: `/${type}/none`, body: [] }),
  delete: (type) => ({ method: 'DELETE', path: `/${type}/none` }),
}
const OF_SYSTEM: Readonly<Record<string, Example>> = {
  batch: { method: 'POST', path: '/', body: body('Bundle', { type: 'batch' }) },
  transaction: { method: 'POST', path: '/', body: body('Bundle', { type: 'transaction' }) },
  'search-system': { method: 'GET', path: '/?_id=none' },
  'history-system': { method: 'GET', path: '/_history' },
}
const operation = (at: string, name: string): Example => ({
  method: 'POST',
  path: `${at}/$${name}`,
  body: body('Parameters'),
})

/** Requests by what a statement says that there is. */
function offers({ rest = [] }: CapabilityStatement): ReadonlyMap<string, Example> {
  const [{ interaction = [], operation: operations = [], resource = [] } = {} as CapabilityStatementRest] = rest
  return new Map([
    ...interaction.map(({ code }): [string, Example] => [code, OF_SYSTEM[code] as Example]),
    ...operations.map(({ name }): [string, Example] => [`$${name}`, operation('', name)]),
    ...resource
      .filter(({ type }) => TYPES.includes(type))
      .flatMap(({ type, interaction: codes = [], operation: ofType = [] }) => [
        ...codes.map(({ code }): [string, Example] => [`${type} ${code}`, OF_TYPE[code]?.(type) as Example]),
        ...ofType.map(({ name }): [string, Example] => [`${type} $${name}`, operation(`/${type}`, name)]),
      ]),
  ])
}

/** The parameters of the searches that a statement offers. */
const parametersIn = ({ rest = [] }: CapabilityStatement): readonly string[] =>
  (rest[0]?.resource ?? [])
    .filter(({ type }) => TYPES.includes(type))
    .flatMap(({ type, searchParam = [] }) => searchParam.map(({ name }) => `${type}?${name}=x`))

const refusedBy = ({ body: answer }: FhirResponse): string => answer?.issue?.[0]?.details?.coding?.[0]?.code ?? ''

const idsOf = ({ rules }: Profile, check: 'offered' | 'parameters') =>
  rules.flatMap((rule) => (rule.check[check] === undefined ? [] : [rule.id]))

describe.each(PROFILES.map((profile) => [profile.name, profile] as const))('/as/%s/metadata', (name, profile) => {
  const base = `/as/${name}`
  const send = ({ method, path, body: sent }: Example) => server.fhir(method, `${base}${path}`, sent)
  const statement = async (): Promise<CapabilityStatement> => {
    // Without a token, as /metadata.
    const { status, body: found } = await request(server.url, 'GET', `${base}/metadata`)
    expect(status).toBe(200)
    return found
  }

  test('says whose behaviour it mimics, and its own address', async () => {
    const { description, implementation } = await statement()
    expect(description).toContain(profile.disclaimer)
    expect(implementation?.url).toBe(`${server.url}${base}`)
  })

  test('is a valid CapabilityStatement', async () => {
    const { body: outcome } = await server.fhir('POST', '/CapabilityStatement/$validate', await statement())
    expect(outcome.issue.filter(({ severity }: { severity: string }) => severity === 'error')).toEqual([])
  })

  test('offers nothing that is refused out of hand, and lacks nothing else', async () => {
    const [narrow, all] = [offers(await statement()), offers(plain)]
    const never = idsOf(profile, 'offered')
    const refused: string[] = []
    for (const [what, example] of all) if (never.includes(refusedBy(await send(example)))) refused.push(what)
    expect([...narrow.keys()].toSorted()).toEqual([...all.keys()].filter((one) => !refused.includes(one)).toSorted())
  })

  test('offers no search parameter that is refused', async () => {
    const narrow = parametersIn(await statement())
    const never = idsOf(profile, 'parameters')
    const refused: string[] = []
    for (const search of narrow)
      if (never.includes(refusedBy(await send({ method: 'GET', path: `/${search}` })))) refused.push(search)
    expect([narrow.length > 0, refused]).toEqual([true, []])
  })

  test('has the conditions of writes that are not refused', async () => {
    const never = idsOf(profile, 'offered')
    const ofType = new Map((await statement()).rest?.[0]?.resource?.map((resource) => [resource.type, resource]))
    for (const type of TYPES) {
      const sent = [
        await server.fhir('POST', `${base}/${type}`, body(type), { 'if-none-exist': '_id=none' }),
        await server.fhir('PUT', `${base}/${type}?_id=none`, body(type), { 'if-match': 'W/"1"' }),
        await send({ method: 'DELETE', path: `/${type}?_id=none` }),
      ]
      const {
        conditionalCreate = false,
        conditionalUpdate = false,
        conditionalDelete,
      } = ofType.get(type as 'Patient') ?? {}
      const offered = [conditionalCreate, conditionalUpdate, (conditionalDelete ?? 'not-supported') !== 'not-supported']
      expect([type, sent.map((answer) => !never.includes(refusedBy(answer)))]).toEqual([type, offered])
    }
  })

  test('is what a batch is told too', async () => {
    const entry = [{ request: { method: 'GET', url: 'metadata' } }]
    const { status, body: answer } = await send({
      method: 'POST',
      path: '/',
      body: body('Bundle', { type: 'batch', entry }),
    })
    if (status === 200) expect(answer.entry[0].resource).toEqual(await statement())
    else expect(idsOf(profile, 'offered')).toContain(refusedBy({ body: answer } as FhirResponse))
  })
})
