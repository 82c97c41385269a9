/** Items of an import are found while the body arrives, however it is cut into pieces. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { FhirError } from '../../../src/fhir/outcome.ts'
import { batchesOf, entriesOf, type Item, linesOf, type Splitter } from '../../../src/rehearsal/transfer/items.ts'

const MOST = 1_000

async function* cut(text: string | Buffer, length: number): AsyncGenerator<Buffer> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += length) yield bytes.subarray(start, start + length)
}

const itemsOf = async (split: Splitter, text: string | Buffer, length = 7, most = MOST) =>
  (await Array.fromAsync(split(cut(text, length), most))).map(({ number, bytes }) => [number, bytes?.toString()])

describe('the lines of NDJSON', () => {
  test.each([1, 2, 3, 100])(
    'are found in pieces of %d bytes, with their numbers; empty ones are none',
    async (length) => {
      const text = '{"a":1}\n\n  \r\n{"b":"ö"}\r\n{"c":3}'
      expect(await itemsOf(linesOf, text, length)).toEqual([
        [1, '{"a":1}'],
        [4, '{"b":"ö"}\r'],
        [5, '{"c":3}'],
      ])
    },
  )

  test('are kept up to the limit only; the next ones are found all the same', async () => {
    const text = `${'x'.repeat(11)}\n${'y'.repeat(10)}\n${'z'.repeat(5_000)}`
    expect(await itemsOf(linesOf, text, 3, 10)).toEqual([
      [1, undefined],
      [2, 'y'.repeat(10)],
      [3, undefined],
    ])
  })

  test('are none in an empty body', async () => {
    expect(await itemsOf(linesOf, '')).toEqual([])
    expect(await itemsOf(linesOf, '\n\n')).toEqual([])
  })
})

const bundle = (entries: string, type = 'collection') =>
  `{"resourceType":"Bundle","type":"${type}","entry":[${entries}]}`

describe('the entries of a Bundle', () => {
  test.each([1, 2, 5, 1_000])('are found in pieces of %d bytes', async (length) => {
    const entries = ['{"resource":{"a":[1,{"b":"]}\\"["}]}}', '{ }', '{"fullUrl":"urn:ü"}']
    const text = `\n { "meta" : {"tag":[{"code":"entry"}]}, "resourceType" : "Bundle", "type" :"batch", "total":3, "link":[{"url":"x"}], "entry" : [ ${entries.join(' , ')} ] , "signature":{"x":[1]} } \n`
    expect(await itemsOf(entriesOf, text, length)).toEqual(entries.map((entry, index) => [index, entry]))
  })

  test('may be any value, which is refused when it is parsed', async () => {
    const found = await itemsOf(entriesOf, bundle('null, 12 ,"a,]",{"x":1} ,true'), 3)
    expect(found.map(([, text]) => text?.toString().trim())).toEqual(['null', '12', '"a,]"', '{"x":1}', 'true'])
  })

  test('are found as JSON.parse finds them', async () => {
    const property = fc.asyncProperty(
      fc.array(fc.dictionary(fc.string(), fc.jsonValue())),
      fc.integer({ min: 1, max: 40 }),
      async (entries, length) => {
        const text = JSON.stringify({ resourceType: 'Bundle', type: 'collection', entry: entries })
        const found = await itemsOf(entriesOf, text, length, 1e6)
        expect(found.map(([, one]) => JSON.parse(String(one)))).toEqual(JSON.parse(JSON.stringify(entries)))
      },
    )
    await fc.assert(property, { numRuns: 100 })
  })

  test('are kept up to the limit only', async () => {
    const found = await itemsOf(entriesOf, bundle(`{"x":"${'y'.repeat(50)}"},{"z":1}`), 4, 20)
    expect(found).toEqual([
      [0, undefined],
      [1, '{"z":1}'],
    ])
  })

  test.each([
    ['is an array', '[]', 'is no Bundle'],
    ['is a text', '"Bundle"', 'is no Bundle'],
    ['is another resource', '{"resourceType":"Patient","id":"a"}', 'must be a Bundle'],
    ['is a searchset', bundle('', 'searchset'), "has the type 'searchset'"],
    [
      'says its type behind its entries',
      '{"resourceType":"Bundle","entry":[{}],"type":"batch"}',
      'the type before the entries',
    ],
    ['ends too early', bundle('{"a":1}').slice(0, -1), 'ends before the Bundle does'],
    ['ends within an entry', bundle('{"a":1}').slice(0, -4), 'ends before the Bundle does'],
    ['goes on behind its end', `${bundle('')}{}`, 'goes on behind the Bundle'],
  ])('are refused where the body %s', async (_, text, message) => {
    const failure = await itemsOf(entriesOf, text).catch((error: unknown) => error)
    expect(failure).toBeInstanceOf(FhirError)
    expect(failure).toMatchObject({ status: 400, message: expect.stringContaining(message) })
  })
})

test('items are put together up to a number and a size, and a larger one stands alone', async () => {
  const items: Item[] = [3, 3, 3, 50, 9, 2, 1].map((size, number) => ({ number, bytes: Buffer.alloc(size) }))
  const batches = await Array.fromAsync(batchesOf([...items, { number: 7 }], { items: 3, bytes: 10 }))
  expect(batches.map((batch) => batch.map(({ number }) => number))).toEqual([[0, 1, 2], [3], [4], [5, 6, 7]])
})
