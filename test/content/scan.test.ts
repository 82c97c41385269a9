/** Long base64 found in a body that arrives in pieces. */
import { createHash } from 'node:crypto'
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { NotBase64 } from '../../src/content/base64.ts'
import { JSON_SYNTAX, XML_SYNTAX } from '../../src/content/content-syntaxes.ts'
import { ContentScanner, type ContentSyntax, INLINE_BYTES } from '../../src/content/scan.ts'
import { readXml } from '../../src/fhir/xml/read.ts'
import { writeXml } from '../../src/fhir/xml/write.ts'
import { randomRuns } from '../support/random-runs.ts'

interface Found {
  readonly text: string
  readonly contents: readonly Buffer[]
}

/** With `#0`, `#1`, … in place of hashes. */
function scanned(pieces: readonly Uint8Array[], syntax: ContentSyntax): Found {
  const scanner = new ContentScanner(syntax)
  const [text, contents]: [Buffer[], Buffer[]] = [[], []]
  let parts: Buffer[] = []
  const all = [...pieces.map((piece) => scanner.push(piece)), scanner.end()]
  for (const events of all) {
    for (const event of events) {
      if (event.kind === 'text') text.push(event.bytes)
      else if (event.kind === 'content') parts.push(event.bytes)
      else if (event.kind === 'end') {
        contents.push(Buffer.concat(parts))
        parts = []
      } else text.push(Buffer.from(syntax.marker(`#${contents.length - 1}`)))
    }
  }
  return { text: Buffer.concat(text).toString('utf8'), contents }
}

/** `bytes` broken at the places, each a share of the whole. */
function inPieces(bytes: Buffer, shares: readonly number[]): readonly Buffer[] {
  const places = shares.map((share) => Math.floor(share * bytes.length)).sort((one, other) => one - other)
  return [0, ...places].map((start, index) => bytes.subarray(start, places[index] ?? bytes.length))
}

const scanText = (text: string, syntax: ContentSyntax, size = 7_001): Found => {
  const bytes = Buffer.from(text)
  const count = Math.ceil(bytes.length / size)
  return scanned(
    Array.from({ length: count }, (_, index) => bytes.subarray(index * size, (index + 1) * size)),
    syntax,
  )
}

const hashOf = (bytes: Buffer): string => createHash('sha256').update(bytes).digest('hex')

const BYTES = Buffer.from(Array.from({ length: 13_001 }, (_, index) => (index * 7919) % 256))
const LONG = BYTES.toString('base64')
const marked = (index = 0) => JSON.parse(`{${JSON_SYNTAX.marker(`#${index}`)}}`)

// ---- the model: everything is parsed, long data is replaced ----

const isLong = (value: unknown): value is string =>
  typeof value === 'string' && value.length > INLINE_BYTES && /^[A-Za-z0-9+/\s]*={0,2}\s*$/.test(value)

function replaced(value: unknown, contents: Buffer[]): unknown {
  if (Array.isArray(value)) return value.map((item) => replaced(item, contents))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => {
      if (name !== 'data' || !isLong(item)) return [name, replaced(item, contents)]
      contents.push(Buffer.from(item, 'base64'))
      return ['_data', marked(contents.length - 1)._data]
    }),
  )
}

/** Some so short, and others so long, that escapes make no difference. */
const LENGTHS = fc.oneof(fc.integer({ min: 0, max: 2_000 }), fc.integer({ min: 13_000, max: 40_000 }))
const bytesOf = LENGTHS.chain((length) =>
  fc.integer({ min: 1, max: 9_999 }).map((seed) => {
    const bytes = Buffer.alloc(length)
    for (let index = 0; index < length; index++) bytes[index] = (index * seed) >> (index % 9)
    return bytes
  }),
)

/** As different writers write it. */
const base64 = fc.tuple(bytesOf, fc.constantFrom(0, 64, 76)).map(([bytes, line]) => {
  const text = bytes.toString('base64')
  return line === 0 ? text : text.replace(new RegExp(`.{${line}}`, 'g'), '$&\r\n')
})

const ESCAPES: readonly ((text: string) => string)[] = [
  (text) => text,
  (text) => text.replaceAll('/', '\\/'),
  (text) => text.replaceAll('+', '\\u002B').replaceAll('=', '\\u003d'),
]
const SPACES = fc.constantFrom('', ' ', '\n  ', '\t\r\n')

const { document } = fc.letrec<{ document: unknown; item: unknown }>((tie) => ({
  document: fc.dictionary(
    fc.oneof({ arbitrary: fc.constant('data'), weight: 3 }, fc.constantFrom('a', '_data', 'xdata', 'é"', 'data\\')),
    tie('item'),
    { maxKeys: 4 },
  ),
  item: fc.oneof(
    { maxDepth: 4 },
    fc.string({ unit: 'binary' }),
    fc.constantFrom('"data":"x', '"data"', `{"data":"${LONG}"}`, 'data', LONG.slice(0, 16_384), 1.5, null),
    base64,
    base64.map((text) => `*${text}`),
    fc.array(tie('item'), { maxLength: 3 }),
    tie('document'),
  ),
}))

function written(value: unknown, space: string, shape: (text: string) => string): string {
  if (Array.isArray(value)) return `[${value.map((item) => written(item, space, shape)).join(`${space},`)}]`
  if (typeof value === 'string') return isLong(value) ? shape(JSON.stringify(value)) : JSON.stringify(value)
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const properties = Object.entries(value).map(
    ([name, item]) => `${space}${JSON.stringify(name)}${space}:${space}${written(item, space, shape)}`,
  )
  return `{${properties.join(`${space},`)}${space}}`
}

describe('in JSON', () => {
  test('what is left is what a parser would make of the whole, wherever the pieces break', () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })
    fc.assert(
      fc.property(document, SPACES, fc.constantFrom(...ESCAPES), shares, (value, space, shape, places) => {
        const text = written(value, space, shape)
        fc.pre(!Object.hasOwn(JSON.parse(text), '_data'))
        const contents: Buffer[] = []
        const expected = replaced(JSON.parse(text), contents)
        const found = scanned(inPieces(Buffer.from(text), places), JSON_SYNTAX)
        expect(JSON.parse(found.text)).toEqual(expected)
        expect(found.contents.map(hashOf)).toEqual(contents.map(hashOf))
      }),
      { numRuns: randomRuns(300) },
    )
  })

  test('each byte may come by itself', () => {
    const text = `{"x":"é\\"","data" :\n"${LONG.replaceAll('/', '\\/')}","y":1}`
    expect(scanText(text, JSON_SYNTAX, 1)).toEqual({
      text: `{"x":"é\\"",${JSON_SYNTAX.marker('#0')},"y":1}`,
      contents: [BYTES],
    })
  })

  test.each([
    ['short base64', `{"data":"${LONG.slice(0, INLINE_BYTES)}"}`],
    ['a text that is no base64', `{"data":"data:application/pdf;base64,${LONG}"}`],
    ['numbers with spaces between them, as those of SampledData', `{"data":"${'2041 2043 '.repeat(4000)}"}`],
    ['another property', `{"xdata":"${LONG}","value":"${LONG}"}`],
    ['a name that is written with an escape', `{"d\\u0061ta":"${LONG}"}`],
    ['a text that has it in quotes', JSON.stringify({ text: `{"data":"${LONG}"}` })],
    ['an item of a list', `["data","${LONG}"]`],
    ['a text that is not escaped as JSON needs it', `{"data":"\\b${LONG}"}`],
  ])('%s stays', (_what, text) => {
    expect(scanText(text, JSON_SYNTAX)).toEqual({ text, contents: [] })
  })

  test.each([8, 9, 500, 1023, 1024])(
    'a content is told apart among thousands of short values, %d bytes in front of it',
    (lead) => {
      const short = '{"data":"eA=="},'.repeat(3_000)
      const shortest = LONG.slice(0, INLINE_BYTES + 4)
      const bytes = Buffer.from(shortest, 'base64')
      const value = `"data":${' '.repeat(lead - 8)}"${shortest}"`
      for (const size of [1_000, 7_001, 65_536, 1_000_000]) {
        const text = `[${short}{${value}},${short}{"x":1,${value}},${short}{}]`
        const [first, second] = [JSON_SYNTAX.marker('#0'), JSON_SYNTAX.marker('#1')]
        expect(scanText(text, JSON_SYNTAX, size)).toEqual({
          text: `[${short}{${first}},${short}{"x":1,${second}},${short}{}]`,
          contents: [bytes, bytes],
        })
      }
    },
  )

  test('a body that ends anywhere is passed through up to its end', () => {
    for (const text of ['{"da', '{"data"', '{"data" :', `{"data":"${LONG.slice(0, 99)}`, '']) {
      expect(scanText(text, JSON_SYNTAX, 3).text).toBe(text)
    }
  })

  test.each([
    ['a wrong character', `${LONG.slice(0, 17_000)}*${LONG}`, 17_001],
    ['a quote', `${LONG.slice(0, 16_999)}\\"${LONG}`, 17_000],
    ['padding within', `${LONG.slice(0, 17_001)}==${LONG}`, 17_002],
    ['something after the padding', `${LONG.slice(0, 17_000)}QQ==QQ==`, 17_005],
    ['too much padding', `${LONG.slice(0, 17_000)}QQ===`, 17_005],
    ['a group that is not complete', `${LONG.slice(0, 17_000)}Q`, 17_002],
  ])('base64 that is broken by %s is refused, with where', (_what, value, character) => {
    for (const size of [1, 7_001, 100_000]) {
      expect(() => scanText(`{"data":"${value}"}`, JSON_SYNTAX, size)).toThrow(NotBase64)
      try {
        scanText(`{"data":"${value}"}`, JSON_SYNTAX, size)
      } catch (error) {
        expect((error as NotBase64).character).toBe(character)
      }
    }
  })

  test('a body that ends within a content is refused', () => {
    expect(() => scanText(`{"data":"${LONG}`, JSON_SYNTAX)).toThrow(NotBase64)
  })

  test('a long text of white space is no content', () => {
    expect(() => scanText(`{"data":"${' '.repeat(20_000)}"}`, JSON_SYNTAX)).toThrow('nothing but white space')
  })
})

describe('in XML', () => {
  const document = (value: string) =>
    `<Binary xmlns="http://hl7.org/fhir"><contentType value="a/b"/><data ${value}</Binary>`

  test.each([
    ['', (value: string) => `value="${value}"/>`],
    [' in single quotes', (value: string) => `value='${value}'/>`],
    [' with white space around', (value: string) => `\n\t value =\n"${value}" \n />`],
    [' with an end of its own', (value: string) => `value="${value}"></data>`],
    [' with another attribute before', (value: string) => `id="é" value="${value}"/>`],
    [' with another attribute behind', (value: string) => `value="${value}" id='é'/>`],
    [' with lines', (value: string) => `value="${value.replace(/.{76}/g, '$&&#13;\n')}"/>`],
    [
      ' with references to characters',
      (value: string) => `value="${value.replaceAll('+', '&#x2B;').replaceAll('/', '&#47;')}"/>`,
    ],
  ])('a value%s is told apart, wherever the pieces break', (_what, write) => {
    const text = document(write(LONG))
    for (const size of [1, 5, 4_096, 100_000]) {
      const found = scanText(text, XML_SYNTAX, size)
      expect(found.contents).toEqual([BYTES])
      expect(readXml(found.text)).toMatchObject({ resourceType: 'Binary', contentType: 'a/b', _data: marked()._data })
    }
  })

  test('what is left is what a parser would make of the whole, wherever the pieces break', () => {
    const shares = fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 12 })
    const attachment = fc.record({ contentType: fc.constant('text/plain'), data: base64.filter((text) => text !== '') })
    const text = fc.string({ unit: 'grapheme-ascii', minLength: 1 }).filter((one) => one.trim() !== '')
    fc.assert(
      fc.property(fc.array(attachment, { minLength: 1, maxLength: 4 }), text, shares, (attachments, words, places) => {
        const resource = {
          resourceType: 'DocumentReference',
          status: 'current',
          description: `<data value="${words}"`,
          content: attachments.map((one) => ({ attachment: one })),
        }
        const contents: Buffer[] = []
        const expected = replaced(resource, contents)
        const found = scanned(inPieces(Buffer.from(writeXml(resource)), places), XML_SYNTAX)
        expect(readXml(found.text)).toEqual(readXml(writeXml(expected as Record<string, unknown>)))
        expect(found.contents.map(hashOf)).toEqual(contents.map(hashOf))
      }),
      { numRuns: randomRuns(100) },
    )
  })

  test.each([
    ['short base64', document(`value="${LONG.slice(0, INLINE_BYTES)}"/>`)],
    ['another element', `<database value="${LONG}"/>`],
    ['another attribute', document(`url="${LONG}"/>`)],
    ['what is no base64', document(`value="&lt;${LONG}"/>`)],
    ['an element without a value', document(`><extension url="x"/></data>`)],
  ])('%s stays', (_what, text) => {
    expect(scanText(text, XML_SYNTAX)).toEqual({ text, contents: [] })
  })

  test('an element keeps its extensions behind the marker', () => {
    const { text } = scanText(document(`value="${LONG}"><extension url="x"/></data>`), XML_SYNTAX)
    expect(text).toBe(
      document(`>${XML_SYNTAX.marker('#0').slice(1)}<extension url="x"/></data>`).replace('<data >', '<data>'),
    )
  })
})
