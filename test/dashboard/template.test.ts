/** The templates and suggestions of the console, by what the server knows of types and codes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { OperationDefinition } from 'fhir/r4'
import type { CodeChoice } from '../../dashboard/fhir/definitions.ts'
import { elementSuggestions } from '../../dashboard/fhir/element-suggestions.ts'
import { operationDoc } from '../../dashboard/fhir/operation-doc.ts'
import {
  callAddress,
  EXAMPLE_ID,
  headersFor,
  needsCall,
  operationExample,
} from '../../dashboard/fhir/operation-example.ts'
import { type Known, templateOf } from '../../dashboard/fhir/template.ts'
import { placeIn } from '../../dashboard/parts/json-editor/json-place.ts'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
})
afterAll(() => server.close())

const CORE = 'http://hl7.org/fhir/StructureDefinition/'

const known: Known = {
  find: async (address) => {
    const { body } = await server.fhir('GET', `/${address}`)
    return (body.entry ?? []).map(({ resource }: { readonly resource: unknown }) => resource)
  },
  now: Date.now,
  types: ['Patient', 'Practitioner'],
  define: async (type: string) => {
    const { status, body } = await server.fhir('GET', `/StructureDefinition/$snapshot?url=${CORE}${type}`)
    return status === 200 ? body : undefined
  },
  codes: async (valueSet: string) => {
    const url = encodeURIComponent(valueSet)
    const { status, body } = await server.fhir('GET', `/ValueSet/$expand?url=${url}&count=5&excludeNested=true`)
    return status === 200 ? (body.expansion.contains as readonly CodeChoice[]) : []
  },
}

test('the template of each type that can be created is valid as it is', async () => {
  const { body: statement } = await server.fhir('GET', '/metadata')
  const types: readonly string[] = statement.rest[0].resource
    .filter(({ interaction }: { interaction: { code: string }[] }) => interaction.some(({ code }) => code === 'create'))
    .map(({ type }: { type: string }) => type)
  expect(types.length).toBeGreaterThan(130)
  const wrong: unknown[] = []
  for (const type of types) {
    const resource = await templateOf(type, known)
    const asked = { resourceType: 'Parameters', parameter: [{ name: 'resource', resource }] }
    const { body } = await server.fhir('POST', `/${type}/$validate`, asked)
    const errors = body.issue.filter(
      ({ severity }: { severity: string }) => severity === 'error' || severity === 'fatal',
    )
    if (errors.length > 0) wrong.push([type, errors.map(({ diagnostics }: { diagnostics: string }) => diagnostics)])
  }
  expect(wrong).toEqual([])
})

test('a type that the server does not know has no template', async () => {
  expect(await templateOf('Nothing', known)).toBeUndefined()
})

interface Holder {
  readonly type?: string
  readonly operation?: readonly { readonly definition: string }[]
}

interface Tool {
  readonly operation: string
}

/** Stores the resource that examples change anew, as the button Update of the capabilities does. */
async function storeExample(type: string): Promise<void> {
  await server.fhir('DELETE', `/${type}/${EXAMPLE_ID}`)
  await server.fhir('PUT', `/${type}/${EXAMPLE_ID}`, { ...(await templateOf(type, known)), id: EXAMPLE_ID })
}

test('the example of each operation that needs no call is accepted as it is', async () => {
  const { body: statement } = await server.fhir('GET', '/metadata')
  const holders: readonly Holder[] = [statement.rest[0], ...statement.rest[0].resource]
  const { body: list } = await server.fhir('GET', '/tools')
  const tools: readonly string[] = list.families.flatMap((family: { readonly tools: readonly Tool[] }) =>
    family.tools.map(({ operation }) => operation),
  )
  const types = holders.flatMap(({ type }) => type ?? [])
  const seen = new Set<string>()
  const refused: unknown[] = []
  const tryOn = async (type: string, definition: OperationDefinition): Promise<void> => {
    const [newest] = type === '' ? [] : await known.find(`${type}?_count=1&_sort=-_lastUpdated`)
    if (type !== '') await storeExample(type)
    const example = await operationExample(definition, type, { ...known, types })
    const address = callAddress(definition, type, newest?.id ?? EXAMPLE_ID)
    const { status, body } = await server.fhir('POST', `/${address}`, example, headersFor(address))
    if (status >= 400) refused.push([definition.id, status, body.issue?.[0]?.diagnostics])
  }
  for (const { type = '', operation = [] } of holders)
    for (const { definition: url } of operation) {
      const definition = await definitionAt(url)
      const isTool = tools.includes(`OperationDefinition/${definition.id}`)
      if (seen.has(url) || (isTool && needsCall(definition))) continue
      seen.add(url)
      await tryOn(type, definition)
    }
  expect(seen.size).toBeGreaterThan(28)
  // A merge comes before what takes it back, and the example has none.
  expect(refused).toEqual([
    // For admins alone.
    ['import', 403, expect.stringContaining('Only an admin')],
    ['group-export', 429, expect.stringContaining('one is done at a time')],
    ['patient-unmerge', 422, expect.stringContaining('there is no merge to take back')],
    ['patient-export', 429, expect.stringContaining('one is done at a time')],
  ])
})

test.each(['appointment-book', 'appointment-hold', 'appointment-reschedule'])(
  'the example of %s has a time that is to come by the clock of the clinic',
  async (name) => {
    const asked: string[] = []
    const find: Known['find'] = async (address) => {
      asked.push(decodeURIComponent(address))
      return []
    }
    const definition = { url: `http://example.org/OperationDefinition/${name}` } as OperationDefinition
    await operationExample(definition, 'Appointment', { ...known, find, now: () => Date.UTC(2031, 1, 3) })
    expect(asked.at(-1)).toMatch(/start=(?:gt)?2031-02-03T00:00:00.000Z/)
  },
)

const definitions = new Map<string, OperationDefinition>()
async function definitionAt(url: string): Promise<OperationDefinition> {
  const found =
    definitions.get(url) ??
    (await server.fhir('GET', `/OperationDefinition?url=${encodeURIComponent(url)}`)).body.entry[0].resource
  definitions.set(url, found)
  return found
}

test('each operation has a page of the documentation', async () => {
  const { body: statement } = await server.fhir('GET', '/metadata')
  const { body: docs } = await server.fhir('GET', '/docs')
  const declared = [statement.rest[0], ...statement.rest[0].resource].flatMap(({ operation = [] }) => operation)
  const urls = new Set<string>(declared.map(({ definition }: { definition: string }) => definition))
  const lacking: unknown[] = []
  for (const url of urls) {
    const definition = await definitionAt(url)
    if (operationDoc(docs.pages, definition) === undefined) lacking.push(definition.id)
  }
  expect(lacking).toEqual([])
})

describe('suggestions in a resource', () => {
  /** `|` is the cursor. */
  const offered = async (marked: string): Promise<readonly string[]> => {
    const cursor = marked.indexOf('|')
    const place = placeIn(marked.replace('|', ''), cursor)
    if (place === undefined) return []
    return (await elementSuggestions(place, marked.slice(0, cursor), known)).map(({ text }) => text)
  }

  test.each([
    ['{"resourceType": "Patient", "|', ['birthDate', 'deceasedBoolean', 'deceasedDateTime', 'contact', 'meta']],
    ['{"resourceType": "Patient", "name": [{"|', ['family', 'given', 'use', 'period']],
    ['{"resourceType": "Patient", "contact": [{"name": {"|', ['family']],
    ['{"resourceType": "Patient", "contact": [{"|', ['relationship', 'organization']],
    ['{"resourceType": "Patient", "gender": "|', ['male', 'female']],
    ['{"resourceType": "Patient", "maritalStatus": {"coding": [{"code": "|', ['D', 'M']],
    ['{"resourceType": "Patient", "generalPractitioner": [{"reference": "|', ['Patient/', 'Practitioner/']],
    ['{"resourceType": "|', ['Patient', 'Practitioner']],
    ['{"resourceType": "Questionnaire", "item": [{"item": [{"item": [{"|', ['linkId', 'enableWhen']],
    ['{"resourceType": "Bundle", "entry": [{"resource": {"resourceType": "Slot", "|', ['schedule', 'start']],
    ['{"resourceType": "Observation", "valueQuantity": {"|', ['value', 'unit']],
    ['{"|', ['resourceType']],
  ])('%s', async (marked, texts) => {
    expect(await offered(marked)).toEqual(expect.arrayContaining(texts))
  })

  test.each([
    '{"resourceType": "Patient", "birthDate": "|',
    '{"resourceType": "Patient", "unknown": {"|',
    '{"id": 1, "a": [|',
  ])('are none where nothing is known: %s', async (marked) => {
    expect((await offered(marked)).filter((text) => text !== 'resourceType')).toEqual([])
  })
})
