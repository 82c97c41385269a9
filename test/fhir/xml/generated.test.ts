/** Random resources of every type are the same after JSON, XML, JSON; the definitions say which elements they have. */
import { describe, expect, test } from '@jest/globals'
import fc from 'fast-check'
import { type ElementStructure, resourceTypes, structureOf } from '../../../src/fhir/definitions.ts'
import { parseJson } from '../../../src/fhir/json.ts'
import { PRIMITIVES } from '../../../src/fhir/validate/primitives.ts'
import { readXml } from '../../../src/fhir/xml/read.ts'
import { writeXml } from '../../../src/fhir/xml/write.ts'
import { randomRuns } from '../../support/random-runs.ts'
import { canonical } from './canonical.ts'

const DEEPEST = 4

const text = fc.oneof(
  fc.string({ unit: 'grapheme', minLength: 1, maxLength: 12 }),
  fc.string({
    unit: fc.constantFrom(
      '<',
      '>',
      '&',
      '"',
      "'",
      '\n',
      '\t',
      '\r',
      ' ',
      ']]>',
      '&amp;',
      '😀',
      'é',
      '\u{85}',
      '\u{2028}',
    ),
    minLength: 1,
    maxLength: 8,
  }),
)
const decimal = fc
  .tuple(
    fc.constantFrom('', '-'),
    fc.nat(),
    fc.stringMatching(/^(\.\d{1,20})?$/),
    fc.stringMatching(/^([eE][+-]?\d{1,2})?$/),
  )
  .map((parts) => parseJson(parts.join('')))
const div = fc
  .constantFrom(
    'a',
    '<p title="&quot;">x</p>',
    '<!-- c --><br/>&#160;',
    '\r\n<table><tbody><tr><td>1</td></tr></tbody></table>',
  )
  .map((content) => `<div xmlns="http://www.w3.org/1999/xhtml">${content}</div>`)

const scalars: Readonly<Record<string, fc.Arbitrary<unknown>>> = {
  boolean: fc.boolean(),
  decimal,
  integer: fc.integer(),
  unsignedInt: fc.nat(),
  positiveInt: fc.integer({ min: 1, max: 2_147_483_647 }),
  xhtml: div,
}

type Elements = Record<string, unknown>

/** Makes a resource out of the values that fast-check draws. */
class Maker {
  readonly #draw: fc.GeneratorValue

  constructor(draw: fc.GeneratorValue) {
    this.#draw = draw
  }

  resource(type: string, depth: number): Elements {
    const resource: Elements = { resourceType: type }
    this.#fill(resource, type, depth)
    return resource
  }

  #fill(target: Elements, type: string, depth: number): void {
    const elements = structureOf(type)?.elements ?? []
    const chosen = this.#draw(() =>
      fc.subarray([...elements.keys()], { maxLength: Math.min(elements.length, depth === 0 ? 8 : 3) }),
    )
    for (const index of chosen) {
      const element = elements[index]
      if (element !== undefined) this.#element(target, element, depth)
    }
  }

  #element(target: Elements, { properties, max, attribute }: ElementStructure, depth: number): void {
    const [key, type] = this.#draw(() => fc.constantFrom(...properties))
    const isScalar = PRIMITIVES.has(type)
    if (!isScalar && depth >= DEEPEST) return
    const length = max > 1 ? this.#draw(() => fc.integer({ min: 1, max: 3 })) : 1
    if (!isScalar) {
      const items = Array.from({ length }, () => this.#complex(type, depth + 1))
      target[key] = max > 1 ? items : items[0]
    } else if (attribute || type === 'xhtml') target[key] = this.#scalar(type)
    else this.#primitives(target, key, type, max > 1 ? length : undefined, depth)
  }

  #complex(type: string, depth: number): Elements {
    if (type === 'Resource')
      return this.resource(
        this.#draw(() => fc.constantFrom(...resourceTypes)),
        depth,
      )
    const value: Elements = {}
    this.#fill(value, type, depth)
    return value
  }

  #primitives(target: Elements, key: string, type: string, length: number | undefined, depth: number): void {
    const items = Array.from({ length: length ?? 1 }, () => this.#primitive(type, depth))
    const values = items.map(({ value }) => value)
    const siblings = items.map(({ sibling }) => sibling)
    if (values.some((value) => value !== null)) target[key] = length === undefined ? values[0] : values
    if (siblings.some((sibling) => sibling !== null)) target[`_${key}`] = length === undefined ? siblings[0] : siblings
  }

  #primitive(type: string, depth: number): { readonly value: unknown; readonly sibling: Elements | null } {
    const kind = this.#draw(() => fc.constantFrom('value', 'value', 'value', 'both', 'sibling'))
    const extension = { url: this.#draw(() => text), valueCode: this.#scalar('code') }
    const sibling =
      depth < DEEPEST && this.#draw(() => fc.boolean()) ? { id: 'i', extension: [extension] } : { id: 'j' }
    return { value: kind === 'sibling' ? null : this.#scalar(type), sibling: kind === 'value' ? null : sibling }
  }

  #scalar(type: string): unknown {
    return this.#draw(() => scalars[type] ?? text)
  }
}

const RUNS = randomRuns(500)

describe('random resources', () => {
  test.each([false, true])('come back from XML as they were (line breaks: %s)', (pretty) => {
    fc.assert(
      fc.property(fc.constantFrom(...resourceTypes), fc.gen(), (type, draw) => {
        const resource = new Maker(draw).resource(type, 0)
        expect(canonical(readXml(writeXml(resource, pretty)))).toBe(canonical(resource))
      }),
      { numRuns: RUNS },
    )
  })

  test('a text with anything in it is read or refused, and nothing else happens', () => {
    const piece = fc.constantFrom(
      '<',
      '>',
      '/',
      '</',
      '/>',
      'Patient',
      ' xmlns="http://hl7.org/fhir"',
      '<name>',
      '</name>',
      '<active',
      ' value=',
      '"true"',
      "'",
      '&amp;',
      '&',
      ';',
      '<!--',
      '-->',
      '<![CDATA[',
      ']]>',
      '<?x?>',
      '<!DOCTYPE',
      '[',
      ']',
      ' ',
      '\n',
      'x:',
      '\0',
      '\ud800',
    )
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 20 }), (pieces) => {
        const read = () => readXml(`<Patient xmlns="http://hl7.org/fhir">${pieces.join('')}`)
        expect(read).toThrow(expect.objectContaining({ name: 'FhirError', status: 400 }))
      }),
      { numRuns: RUNS },
    )
  })
})
