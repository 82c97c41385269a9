/** `_sort` by values that are not there: https://hl7.org/fhir/R4/search.html#sort leaves their place to the server. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { startServer, type TestServer } from '../support/server.ts'

let server: TestServer
beforeAll(async () => {
  server = await startServer()
  await store(CONDITIONS)
})
afterAll(() => server.close())

type Elements = Readonly<Record<string, unknown>>
const coded = (code: string, text?: string): Elements => ({
  code: { coding: [{ system: 'http://example.org/codes', code }], ...(text === undefined ? {} : { text }) },
})
const subject = { reference: 'Patient/nobody' }

/** By id. */
const CONDITIONS: Readonly<Record<string, Elements>> = {
  'text-of-p': { code: { text: 'Pain' }, recordedDate: '2024-01-03' },
  c: { ...coded('c'), recordedDate: '2024-01-01' },
  nothing: { recordedDate: '2024-01-02' },
  a: { ...coded('a', 'Zoster'), recordedDate: '2024-01-02' },
  'text-of-h': { code: { coding: [{ display: 'headache' }] } },
  'another-a': coded('a'),
  b: { ...coded('b'), recordedDate: '2024-01-03' },
  'nothing-at-all': {},
}

async function store(conditions: typeof CONDITIONS): Promise<void> {
  const entry = Object.entries(conditions).map(([id, elements]) => ({
    resource: { resourceType: 'Condition', id, subject, ...elements },
    request: { method: 'PUT', url: `Condition/${id}` },
  }))
  const { status, text } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect([status, text]).toEqual([200, expect.anything()])
}

/** The ids on all pages. */
async function found(query: string, count: number): Promise<readonly string[]> {
  const ids: string[] = []
  for (let next: string | undefined = `/Condition?${query}&_count=${count}`; next !== undefined; ) {
    const { body } = await server.fhir('GET', next)
    ids.push(...(body.entry ?? []).map((entry: { resource: { id: string } }) => entry.resource.id))
    const url = body.link.find(({ relation }: { relation: string }) => relation === 'next')?.url
    next = url === undefined ? undefined : `${new URL(url).pathname}${new URL(url).search}`
  }
  return ids
}

const NOTHING = ['nothing', 'nothing-at-all']

describe.each([1, 3, 100])('on pages of %i', (count) => {
  test.each([
    ['code', ['a', 'another-a', 'b', 'c', 'text-of-h', 'text-of-p']],
    ['-code', ['c', 'b', 'another-a', 'a', 'text-of-p', 'text-of-h']],
  ])(
    '_sort=%s puts concepts of text alone after all codes, by their texts, and what has no concept last',
    async (sort, expected) => {
      const ids = await found(`_sort=${sort}`, count)
      expect(ids.slice(0, -2)).toEqual(expected)
      expect(ids.slice(-2).toSorted()).toEqual(NOTHING)
    },
  )

  test.each([
    ['recorded-date', ['c', 'a', 'nothing', 'b', 'text-of-p']],
    ['-recorded-date', ['b', 'text-of-p', 'a', 'nothing', 'c']],
  ])('_sort=%s,_id puts what has no date last', async (sort, expected) => {
    const ids = await found(`_sort=${sort},_id`, count)
    expect(ids).toEqual([...expected, 'another-a', 'nothing-at-all', 'text-of-h'])
  })

  test.each([
    ['recorded-date,code', ['c', 'a', 'nothing', 'b', 'text-of-p', 'another-a', 'text-of-h', 'nothing-at-all']],
    ['-recorded-date,-code', ['b', 'text-of-p', 'a', 'nothing', 'c', 'another-a', 'text-of-h', 'nothing-at-all']],
    ['-code,recorded-date,_id', ['c', 'b', 'a', 'another-a', 'text-of-p', 'text-of-h', 'nothing', 'nothing-at-all']],
  ])('_sort=%s puts what is missing last by each key', async (sort, expected) => {
    expect(await found(`_sort=${sort}`, count)).toEqual(expected)
  })
})

test('the order of texts is found by _sort alone', async () => {
  expect((await found('code:missing=false', 100)).toSorted()).toEqual([
    'a',
    'another-a',
    'b',
    'c',
    'text-of-h',
    'text-of-p',
  ])
  expect(await found('code:not=a,b,c&code:missing=false&_sort=_id', 100)).toEqual(['text-of-h', 'text-of-p'])
  expect(await found('code:text=head', 100)).toEqual(['text-of-h'])
})
