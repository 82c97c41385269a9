/** Resources of the server that are prepared once in each form, and kept compressed. */
import { gunzipSync } from 'node:zlib'
import { describe, expect, test } from '@jest/globals'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { Compressed, PreparedForm } from '../../src/fhir-api/metadata.ts'
import { encodingsIn } from '../../src/http/headers.ts'

const ENCODINGS = encodingsIn('gzip, br')

const statementAt = (url: string) => ({
  resourceType: 'CapabilityStatement',
  status: 'active',
  implementation: { description: 'Test', url },
})

async function formOf(format: 'json' | 'xml', pretty: boolean) {
  let made = 0
  const form = await PreparedForm.prepare(
    'x',
    (url) => {
      made++
      return statementAt(url) as unknown as AnyResource
    },
    { format, pretty },
  )
  return { form, timesMade: () => made }
}

describe('a prepared form', () => {
  test.each<['json' | 'xml', boolean]>([
    ['json', false],
    ['json', true],
    ['xml', false],
    ['xml', true],
  ])('in %s, pretty %s, is made once for all addresses', async (format, pretty) => {
    const { form, timesMade } = await formOf(format, pretty)
    const addresses = Array.from({ length: 50 }, (_, index) => `https://host-${index}.example/fhir`)
    for (const address of addresses) expect(form.body(address).toString()).toContain(`"${address}"`)
    expect(timesMade()).toBe(1)
  })

  test('has the address of each answer, escaped as the format asks', async () => {
    const address = 'https://a.example/x?"&'
    const [json, xml] = [(await formOf('json', false)).form, (await formOf('xml', false)).form]
    expect(JSON.parse(json.body(address).toString()).implementation.url).toBe(address)
    expect(xml.body(address).toString()).toContain('value="https://a.example/x?&quot;&amp;"')
  })

  test('has another ETag under another address, and the same one under the same', async () => {
    const { form } = await formOf('json', false)
    expect(form.etag('http://a')).toBe(form.etag('http://a'))
    expect(form.etag('http://a')).not.toBe(form.etag('http://b'))
  })

  test('is the same object for parallel answers under one address', async () => {
    const { form } = await formOf('json', false)
    expect(form.body('http://a')).toBe(form.body('http://a'))
  })
})

test('other work comes between the steps of preparing a form', async () => {
  let rounds = 0
  let isOver = false
  const count = () => {
    rounds += 1
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await formOf('xml', true)
  isOver = true
  expect(rounds).toBeGreaterThan(2)
})

describe('compressed bodies', () => {
  const text = 'a'.repeat(1_000)

  async function foundAfterAsking(compressed: Compressed, key: string, times: number): Promise<Buffer | undefined> {
    for (let asked = 0; asked < times; asked++) compressed.find(key, ENCODINGS, () => Buffer.from(text))
    for (let waited = 0; waited < 100; waited++) {
      const found = compressed.find(key, ['gzip'], () => Buffer.from(text))
      if (found !== undefined) return found.body
      await new Promise((resolve) => setTimeout(resolve, 2))
    }
    return undefined
  }

  test('are made from the second request on', async () => {
    const compressed = new Compressed()
    const found = await foundAfterAsking(compressed, 'one', 2)
    expect(gunzipSync(found ?? Buffer.alloc(0)).toString()).toBe(text)
  })

  test('under addresses that each come once, none is made', () => {
    const compressed = new Compressed()
    let made = 0
    const body = () => {
      made++
      return Buffer.from(text)
    }
    for (let host = 0; host < 1_000; host++) compressed.find(`${host}`, ENCODINGS, body)
    expect(made).toBe(0)
  })

  test('of very many addresses sixteen are kept, and one at a time is made', async () => {
    const compressed = new Compressed()
    let made = 0
    const body = () => {
      made++
      return Buffer.from(text)
    }
    for (let host = 0; host < 100; host++)
      for (let times = 0; times < 2; times++) compressed.find(`${host}`, ENCODINGS, body)
    expect(made).toBe(1)
    for (let host = 0; host < 40; host++) await foundAfterAsking(compressed, `slow ${host}`, host < 15 ? 2 : 0)
    expect(await foundAfterAsking(compressed, 'one more', 2)).toBeUndefined()
  })
})
