/** Tables of searches over HTTP, one for each type of search parameter: https://hl7.org/fhir/R4/search.html#ptypes. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { MODIFIERS } from '../../src/search/query/criterion.ts'
import { startServer, type TestServer } from '../support/server.ts'
import { composite } from './tables/composite.ts'
import { date } from './tables/date.ts'
import { number } from './tables/number.ts'
import { quantity } from './tables/quantity.ts'
import { reference } from './tables/reference.ts'
import { special } from './tables/special.ts'
import { string } from './tables/string.ts'
import type { Table } from './tables/table.ts'
import { token } from './tables/token.ts'
import { uri } from './tables/uri.ts'

const BASE = 'https://emr.example/fhir'
const TAG = 'http://example.org/tables'

let server: TestServer
beforeAll(async () => {
  server = await startServer({ BASE_URL: BASE })
})
afterAll(() => server.close())

/** Tagged, so that the searches see nothing else. */
async function store({ name, resources }: Table): Promise<void> {
  const entry = resources.map((resource, index) => ({
    resource: { ...resource, id: `${name}-${index}`, meta: { tag: [{ system: TAG, code: name }] } },
    request: { method: 'PUT', url: `${resource.resourceType}/${name}-${index}` },
  }))
  const { status, text } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect([status, text]).toEqual([200, expect.anything()])
}

/** `Type?name=value&…`, percent-encoded as a client would. */
function encoded(query: string): string {
  const [type = '', criteria = ''] = query.split(/\?(.*)/s)
  const pairs = criteria.split('&').map((pair) => pair.split(/=(.*)/s).slice(0, 2).map(encodeURIComponent).join('='))
  return `/${type}?${pairs.join('&')}`
}

interface Entry {
  readonly resource: { readonly id: string }
  readonly search: { readonly mode: string }
}

const TABLES = [number, date, string, token, reference, composite, quantity, uri, special]

test.each(TABLES)('the table of parameters of type $name has a row for each of their modifiers', ({ name, rows }) => {
  const queries = rows.map(([query]) => query)
  const without = MODIFIERS[name].filter((modifier) => !queries.some((query) => query.includes(`:${modifier}=`)))
  expect(without).toEqual([])
})

describe.each(TABLES)('the table of parameters of type $name', ({ name, resources, rows }) => {
  beforeAll(() => store({ name, resources, rows }))

  test.each(rows)('%s finds %j', async (query, expected) => {
    const { status, body } = await server.fhir('GET', `${encoded(query)}&_tag=${TAG}%7C${name}&_count=100`)
    const matches = (body.entry ?? []).filter((entry: Entry) => entry.search.mode === 'match')
    const places = matches.map((entry: Entry) => Number(entry.resource.id.slice(name.length + 1)))
    expect([status, places.toSorted((one: number, other: number) => one - other)]).toEqual([200, expected])
  })
})
