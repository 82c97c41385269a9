/**
 * Whatever /metadata declares is called, on data of every type: each search parameter, modifier, include, compartment,
 * interaction, operation and format. What is called follows from the statement; only sample values are written here.
 */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { CapabilityStatement, OperationDefinition, OperationOutcome } from 'fhir/r4'
import { parametersOf, partsOf } from '../search/naive/definitions.ts'
import { minimalResource } from '../support/minimal-resources.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'

/** With what this server asks for besides R4. */
const minimal = (type: string) => ({
  ...minimalResource(type),
  ...(type === 'DocumentReference' ? { subject: { reference: 'Patient/subject' } } : {}),
})

let server: TestServer
let statement: CapabilityStatement
beforeAll(async () => {
  server = await startServer()
  statement = (await server.fhir('GET', '/metadata')).body
  await server.fhir('PUT', '/Patient/subject', { ...minimal('Patient'), id: 'subject' })
  for (const { type } of types()) {
    const { status, text } = await server.fhir('PUT', `/${type}/m`, { ...minimal(type), id: 'm' })
    expect([type, status, text]).toEqual([type, 201, expect.anything()])
  }
})
afterAll(() => server.close())

const rest = () => statement.rest?.[0] ?? { mode: 'server' }
const types = () => rest().resource ?? []

interface Answered {
  readonly url: string
  readonly status: number
  readonly outcome: OperationOutcome | undefined
}

const A_BATCH = 200

/** The answers to GETs, in their order. */
async function answers(urls: readonly string[]): Promise<readonly Answered[]> {
  const found: Answered[] = []
  for (let start = 0; start < urls.length; start += A_BATCH) {
    const some = urls.slice(start, start + A_BATCH)
    const entry = some.map((url) => ({ request: { method: 'GET', url } }))
    const { status, body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    expect(status).toBe(200)
    for (const [index, url] of some.entries()) {
      const { response } = body.entry[index]
      found.push({ url, status: Number.parseInt(response.status, 10), outcome: response.outcome })
    }
  }
  return found
}

const refused = async (urls: readonly string[]): Promise<readonly Answered[]> =>
  (await answers(urls)).filter(({ status }) => status !== 200)

const VALUES: Readonly<Record<string, string>> = {
  string: 'a',
  // Codes may be any text, but an element that is a boolean has two.
  token: 'true',
  reference: 'some-id',
  date: '2026-03-01',
  uri: 'http://example.org/a',
  number: '1',
  quantity: '1',
  // The only one of a type is near.
  special: '1|2',
}

const sampleFor = (type: string, { name, type: kind }: { readonly name: string; readonly type: string }): string => {
  const parameter = parametersOf(type).get(name)
  if (kind !== 'composite' || parameter === undefined) return VALUES[kind] ?? `no value for ${kind}`
  return partsOf(type, parameter)
    .map((part) => VALUES[part.type])
    .join('$')
}

describe('search parameters', () => {
  test('of every type find resources, and so does :missing', async () => {
    for (const { type, searchParam = [] } of types()) {
      const urls = searchParam.flatMap((parameter) => [
        `${type}?${parameter.name}=${encodeURIComponent(sampleFor(type, parameter))}&_count=1`,
        ...(parameter.type === 'special' ? [] : [`${type}?${parameter.name}:missing=true&_count=1`]),
      ])
      expect(urls.length).toBeGreaterThan(0)
      expect(await refused(urls)).toEqual([])
    }
  })

  test('of all types together find resources', async () => {
    const written: Readonly<Record<string, string>> = {
      _filter: '_filter=_id eq m',
      _has: '_has:Observation:subject:_id=m',
      _list: '_list=m',
    }
    const urls = (rest().searchParam ?? []).map(({ name, type }) => written[name] ?? `${name}=${VALUES[type]}`)
    expect(urls.length).toBeGreaterThan(5)
    expect(await refused(urls.map((query) => `?${query}&_type=Patient,Observation&_count=1`))).toEqual([])
  })

  test('are sorted by, up and down, but for those that have no order', async () => {
    for (const { type, searchParam = [] } of types()) {
      const keys = searchParam.filter(({ type: kind }) => kind !== 'composite' && kind !== 'special')
      const urls = keys.flatMap(({ name }) => [`${type}?_sort=${name}&_count=1`, `${type}?_sort=-${name}&_count=1`])
      expect(await refused(urls)).toEqual([])
    }
  })

  /** By type of parameter, as the statement tells in words: `token :not :text; uri :below; every type :missing`. */
  const declaredModifiers = (): ReadonlyMap<string, readonly string[]> => {
    const [, told = ''] = /Search modifiers: (.*)\.$/.exec(rest().documentation ?? '') ?? []
    return new Map(
      told.split('; ').map((part) => {
        const [type = '', ...modifiers] = part.split(' :')
        return [type, modifiers] as const
      }),
    )
  }

  const MODIFIED: Readonly<Record<string, string>> = {
    'token in': 'http://hl7.org/fhir/ValueSet/administrative-gender',
    'token not-in': 'http://hl7.org/fhir/ValueSet/administrative-gender',
    'token above': 'http://hl7.org/fhir/administrative-gender|male',
    'token below': 'http://hl7.org/fhir/administrative-gender|male',
    'token of-type': 'http://example.org|MR|1',
    'token text': 'a',
    'reference identifier': 'a|b',
    'reference text': 'a',
    'reference above': 'Location/m',
    'reference below': 'Location/m',
  }

  /** Not every reference leads to a hierarchy, nor is every token an identifier or a coded one. */
  const isUnknown = ({ outcome }: Answered) => JSON.stringify(outcome ?? {}).includes('search-modifier-unknown')

  test.each(['string', 'token', 'reference', 'uri'])(
    'of type %s take each modifier that is told of, and no other',
    async (kind) => {
      const modifiers = declaredModifiers().get(kind) ?? []
      expect(modifiers).not.toEqual([])
      const codes = new Map(
        types().flatMap(({ type, searchParam = [] }) =>
          searchParam
            .filter((parameter) => parameter.type === kind && !['_id', 'phonetic'].includes(parameter.name))
            .map(({ name, definition }) => [definition, `${type}?${name}`] as const),
        ),
      )
      for (const modifier of modifiers) {
        const value = encodeURIComponent(MODIFIED[`${kind} ${modifier}`] ?? VALUES[kind] ?? '')
        const all = await answers([...codes.values()].map((code) => `${code}:${modifier}=${value}&_count=1`))
        expect(all.some(({ status }) => status === 200)).toBe(true)
        expect(all.filter((one) => (one.status !== 200 && one.status !== 400) || isUnknown(one))).toEqual([])
      }
      const others = [...codes.values()].slice(0, 20).map((code) => `${code}:nonsense=a`)
      expect((await answers(others)).filter((one) => !isUnknown(one))).toEqual([])
    },
  )

  test('of type reference take the types that they point to as modifiers', async () => {
    const urls = types().flatMap(({ type, searchParam = [] }) =>
      searchParam.flatMap(({ name }) => {
        const { target: [target = '*'] = [] } = parametersOf(type).get(name) ?? {}
        return target === '*' ? [] : [`${type}?${name}:${target}=m&_count=1`]
      }),
    )
    expect(urls.length).toBeGreaterThan(100)
    expect(await refused(urls)).toEqual([])
  })
})

test('every include and reverse include is followed', async () => {
  for (const { type, searchInclude = [], searchRevInclude = [] } of types()) {
    const urls = [
      ...searchInclude.map((include) => `${type}?_include=${include}&_count=1`),
      ...searchRevInclude.map((include) => `${type}?_revinclude=${include}&_count=1`),
    ]
    expect(await refused(urls)).toEqual([])
  }
})

test('every compartment is searched, all of it and by type', async () => {
  const centers = (rest().compartment ?? []).map((url) => {
    const name = url.slice(url.lastIndexOf('/') + 1)
    return name.charAt(0).toUpperCase() + name.slice(1)
  })
  expect(centers).not.toEqual([])
  expect(await refused(centers.flatMap((center) => [`${center}/m/*?_count=1`, `${center}/m/Observation`]))).toEqual([])
})

/** A way to call an interaction, and the status it has when all is well. */
type Call = (
  type: string,
) => readonly [method: string, path: string, status: number, body?: unknown, headers?: Record<string, string>]

/** In this order. */
const INTERACTIONS: Readonly<Record<string, Call>> = {
  create: (type) => ['POST', `/${type}`, 201, minimal(type)],
  read: (type) => ['GET', `/${type}/m`, 200],
  update: (type) => ['PUT', `/${type}/m`, 200, { ...minimal(type), id: 'm', language: 'en' }],
  patch: (type) => ['PATCH', `/${type}/m`, 200, [{ op: 'replace', path: '/language', value: 'de' }]],
  vread: (type) => ['GET', `/${type}/m/_history/1`, 200],
  'history-instance': (type) => ['GET', `/${type}/m/_history`, 200],
  'history-type': (type) => ['GET', `/${type}/_history?_count=1`, 200],
  'search-type': (type) => ['GET', `/${type}?_count=1`, 200],
}
const FLAGS = {
  conditionalCreate: (type) => ['POST', `/${type}`, 200, minimal(type), { 'if-none-exist': '_id=m' }],
  conditionalUpdate: (type) => ['PUT', `/${type}?_id=m`, 200, minimal(type)],
  updateCreate: (type) => ['PUT', `/${type}/made`, 201, { ...minimal(type), id: 'made' }],
  conditionalRead: (type) => ['GET', `/${type}/made`, 304, undefined, { 'if-none-match': 'W/"1"' }],
  conditionalDelete: (type) => ['DELETE', `/${type}?_id=made`, 204],
} as const satisfies Readonly<Record<string, Call>>
const LAST: Readonly<Record<string, Call>> = { delete: (type) => ['DELETE', `/${type}/m`, 204] }

/** What should not have been answered so. */
async function wrongly(calls: readonly (readonly [string, Call])[], type: string): Promise<readonly unknown[]> {
  const wrong: unknown[] = []
  for (const [name, call] of calls) {
    const [method, path, expected, body, headers] = call(type)
    const { status, text } = await server.fhir(method, path, body, headers)
    if (status !== expected) wrong.push([name, method, path, status, text])
  }
  return wrong
}

const bundle = (type: string) => ({
  resourceType: 'Bundle',
  type,
  entry: [{ request: { method: 'GET', url: 'Patient/m' } }],
})
const SYSTEM: Readonly<Record<string, Call>> = {
  transaction: () => ['POST', '/', 200, bundle('transaction')],
  batch: () => ['POST', '/', 200, bundle('batch')],
  'search-system': () => ['GET', '/?_id=m&_count=1', 200],
  'history-system': () => ['GET', '/_history?_count=1', 200],
}

test('every interaction of the whole system is carried out', async () => {
  const declared = (rest().interaction ?? []).map(({ code }) => code)
  expect(declared.toSorted()).toEqual(Object.keys(SYSTEM).toSorted())
  expect(await wrongly(Object.entries(SYSTEM), '')).toEqual([])
})

describe('operations', () => {
  type Input = Readonly<Record<string, unknown>>
  const META: Input = { name: 'meta', valueMeta: { tag: [{ system: 'http://example.org', code: 't' }] } }
  const GENDERS = 'http://hl7.org/fhir/administrative-gender'
  const code: readonly Input[] = [
    { name: 'code', valueCode: 'male' },
    { name: 'system', valueUri: GENDERS },
  ]
  const text = (values: Readonly<Record<string, string>>): readonly Input[] =>
    Object.entries(values).map(([name, valueString]) => ({ name, valueString }))

  /** By the end of the definition's address: what it cannot do without. */
  const INPUTS: Readonly<Record<string, readonly Input[]>> = {
    'Resource-meta-add': [META],
    'Resource-meta-delete': [META],
    'CodeSystem-lookup': code,
    'CodeSystem-subsumes': [
      { name: 'codeA', valueCode: 'male' },
      { name: 'codeB', valueCode: 'female' },
      { name: 'system', valueUri: GENDERS },
    ],
    'CodeSystem-validate-code': [
      { name: 'url', valueUri: GENDERS },
      { name: 'code', valueCode: 'male' },
    ],
    'ValueSet-expand': [{ name: 'url', valueUri: 'http://hl7.org/fhir/ValueSet/administrative-gender' }],
    'ValueSet-validate-code': [
      { name: 'url', valueUri: 'http://hl7.org/fhir/ValueSet/administrative-gender' },
      ...code,
    ],
    'ConceptMap-translate': [...code, { name: 'target', valueUri: 'http://example.org/x' }],
    'Patient-match': [{ name: 'resource', resource: { resourceType: 'Patient', name: [{ family: 'x' }] } }],
    'patient-resolve-patient-identity': text({ statedName: 'Ada Lovelace' }),
    'patient-submit-insurance-info': text({ payerName: 'x', memberId: 'x' }),
    'patient-record-self-pay-decision': text({ decision: 'self_pay_continue' }),
    'patient-validate-intake-field': text({ fieldName: 'phone', value: 'x' }),
    'patient-submit-intake': text({
      ...{ firstName: 'Ada', lastName: 'Lovelace', dateOfBirth: '1980-03-03', phone: '+12025550143' },
      ...{ email: 'ada@example.org', address: '1 Main St', reasonForVisit: 'x' },
    }),
    'implementation-guide-install': [
      {
        name: 'bundle',
        resource: { resourceType: 'Bundle', type: 'collection', entry: [{ resource: minimalResource('ValueSet') }] },
      },
    ],
  }

  /** On a resource the address says which one is meant. */
  const inputFor = (type: string, path: string, { url = '' }: OperationDefinition): object => {
    const resource = [{ name: 'resource', resource: minimal(type) }]
    const all = url.endsWith('Resource-validate') ? resource : (INPUTS[url.slice(url.lastIndexOf('/') + 1)] ?? [])
    return {
      resourceType: 'Parameters',
      parameter: path.includes('/m/') ? all.filter(({ name }) => name !== 'url') : all,
    }
  }

  const definitions = new Map<string, OperationDefinition>()
  const definitionAt = async (url: string): Promise<OperationDefinition> => {
    const found =
      definitions.get(url) ??
      (await server.fhir('GET', `/OperationDefinition?url=${encodeURIComponent(url)}`)).body.entry[0].resource
    definitions.set(url, found)
    return found
  }

  /** Refusals for what the server does not know or cannot do; those for what the data are not are answers. */
  const isUnserved = ({ status, body }: FhirResponse): boolean =>
    status >= 500 || status === 404 || status === 405 || /not-supported/.test(JSON.stringify(body ?? {}))

  async function unserved(paths: readonly string[], type: string, definition: OperationDefinition) {
    const wrong: unknown[] = []
    for (const path of paths) {
      const answer = await server.fhir('POST', path, inputFor(type, path, definition))
      if (isUnserved(answer)) wrong.push([path, answer.status, answer.text])
      else if (answer.status >= 400) expect([path, answer.body.resourceType]).toEqual([path, 'OperationOutcome'])
    }
    return wrong
  }

  test('of every type are carried out on it and on a resource, as their definitions say', async () => {
    for (const { type, operation = [] } of types()) {
      for (const { name, definition: url } of operation) {
        const definition = await definitionAt(url)
        const paths = [
          ...(definition.type ? [`/${type}/$${name}`] : []),
          ...(definition.instance ? [`/${type}/m/$${name}`] : []),
        ]
        expect([name, paths.length > 0]).toEqual([name, true])
        expect(await unserved(paths, type, definition)).toEqual([])
      }
    }
  })

  test('of the whole system are carried out', async () => {
    const declared = rest().operation ?? []
    expect(declared).not.toEqual([])
    for (const { name, definition: url } of declared) {
      const definition = await definitionAt(url)
      expect(definition.system).toBe(true)
      expect(await unserved([`/$${name}`], 'Basic', definition)).toEqual([])
    }
  })
})

test('every format is written and every patch format understood', async () => {
  const parts = { type: 'replace', path: 'Basic.language', value: 'fr' }
  const values = Object.entries(parts).map(([name, valueString]) => ({ name, valueString }))
  const patches: Readonly<Record<string, unknown>> = {
    'application/json-patch+json': [{ op: 'add', path: '/language', value: 'fr' }],
    'application/xml-patch+xml':
      '<diff xmlns:f="http://hl7.org/fhir"><replace sel="f:Basic/f:language/@value">de</replace></diff>',
    'application/fhir+json': { resourceType: 'Parameters', parameter: [{ name: 'operation', part: values }] },
    'application/fhir+xml': `<Parameters xmlns="http://hl7.org/fhir"><parameter><name value="operation"/>${values
      .map(({ name, valueString }) => `<part><name value="${name}"/><valueString value="${valueString}"/></part>`)
      .join('')}</parameter></Parameters>`,
  }
  for (const format of statement.format) {
    const { status, headers } = await server.fhir('GET', `/Basic/m?_format=${encodeURIComponent(format)}`)
    expect([format, status, headers.get('content-type')]).toEqual([
      format,
      200,
      expect.stringContaining(format.replace(/.*\+/, '')),
    ])
  }
  for (const format of statement.patchFormat ?? []) {
    const { status, text } = await server.fhir('PATCH', '/Basic/m', patches[format], { 'content-type': format })
    expect([format, status, text]).toEqual([format, 200, expect.anything()])
  }
})

// The last one: it deletes.
test('every interaction of every type is carried out, conditional ones too', async () => {
  const calls = { ...INTERACTIONS, ...LAST }
  for (const { type, interaction = [], ...flags } of types()) {
    const declared = interaction.map(({ code }) => code)
    expect(declared.filter((code) => calls[code] === undefined)).toEqual([])
    const isDeclared = ([code]: readonly [string, Call]) => declared.some((one) => one === code)
    const conditional = Object.entries(FLAGS).filter(([flag]) => {
      const value = (flags as Readonly<Record<string, unknown>>)[flag]
      return value !== undefined && value !== false && value !== 'not-supported'
    })
    const all = [
      ...Object.entries(INTERACTIONS).filter(isDeclared),
      ...conditional,
      ...Object.entries(LAST).filter(isDeclared),
    ]
    expect(all.length).toBeGreaterThan(0)
    expect(await wrongly(all, type)).toEqual([])
  }
})
