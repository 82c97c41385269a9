/** In parameters against the OperationDefinition: https://hl7.org/fhir/R4/operations.html#request. */
import { describe, expect, test } from '@jest/globals'
import type { OperationDefinitionParameter } from 'fhir/r4'
import { parseJson } from '../../src/fhir/json.ts'
import { FhirError } from '../../src/fhir/outcome.ts'
import { ignoredArguments, knownArguments, readArguments, readInput } from '../../src/operations/parameters.ts'

const parameter = (name: string, type: string | undefined, more: Partial<OperationDefinitionParameter> = {}) =>
  ({
    name,
    use: 'in',
    min: 0,
    max: '1',
    ...(type === undefined ? {} : { type }),
    ...more,
  }) as OperationDefinitionParameter

const definition = {
  parameter: [
    parameter('text', 'string', { min: 1 }),
    parameter('flag', 'boolean'),
    parameter('count', 'integer'),
    parameter('price', 'decimal'),
    parameter('day', 'date'),
    parameter('word', 'code', { max: '*' }),
    parameter('who', 'HumanName'),
    parameter('patient', 'Patient'),
    parameter('pair', undefined, { part: [parameter('left', 'string', { min: 1 }), parameter('right', 'string')] }),
    parameter('answer', 'string', { use: 'out' }),
  ],
}

const issues = (work: () => unknown) => {
  try {
    work()
  } catch (error) {
    if (error instanceof FhirError) return error.issues.map(({ reason, diagnostics }) => `${reason}: ${diagnostics}`)
  }
  return []
}

const parameters = (...parameter: unknown[]) => ({ resourceType: 'Parameters', parameter })
const TEXT = { name: 'text', valueString: 'x' }

describe('a Parameters resource', () => {
  test('gives each parameter its value, resource, or parts; one that may repeat is a list', () => {
    const patient = { resourceType: 'Patient' }
    const body = parameters(
      TEXT,
      { name: 'flag', valueBoolean: false },
      { name: 'word', valueCode: 'a' },
      { name: 'word', valueCode: 'b' },
      { name: 'who', valueHumanName: { family: 'Doe' } },
      { name: 'patient', resource: patient },
      { name: 'pair', part: [{ name: 'left', valueString: 'l' }] },
    )
    expect(readInput(definition, body)).toEqual({
      text: 'x',
      flag: false,
      word: ['a', 'b'],
      who: { family: 'Doe' },
      patient,
      pair: { left: ['l'] },
    })
  })

  test('a value may have an extension beside it', () => {
    const extension = [{ url: 'http://example.org/heard', valueDecimal: 0.9 }]
    const body = parameters(TEXT, { name: 'flag', _valueBoolean: { extension }, valueBoolean: true })
    expect(readInput(definition, body)).toEqual({ text: 'x', flag: true })
  })

  test('a decimal keeps its text', () => {
    const input = readInput(
      definition,
      parseJson(JSON.stringify(parameters(TEXT)).replace('"x"}', '"x"},{"name":"price","valueDecimal":1.50}')),
    )
    expect(JSON.stringify(input.price)).toBe('1.50')
  })

  test.each([
    ['a missing one', parameters(), 'missing-parameter: Parameter text is missing; it must be text'],
    [
      'one too many',
      parameters(TEXT, TEXT),
      'invalid-parameter: Parameter text is given 2 times; it may be given once',
    ],
    [
      'a wrong type',
      parameters(TEXT, { name: 'flag', valueString: 'true' }),
      'invalid-parameter: Parameter flag must be true or false, without quotes',
    ],
    [
      'a resource of another type',
      parameters(TEXT, { name: 'patient', resource: { resourceType: 'Group' } }),
      'invalid-parameter: Parameter patient must be a Patient resource',
    ],
    [
      'a resource in the place of a datatype',
      parameters(TEXT, { name: 'who', resource: { resourceType: 'Patient' } }),
      'invalid-parameter: Parameter who must be an object of the type HumanName',
    ],
    [
      'a value in the place of parts',
      parameters(TEXT, { name: 'pair', valueString: 'x' }),
      'invalid-parameter: Parameter pair must be made of the parts left, right',
    ],
    [
      'a missing part',
      parameters(TEXT, { name: 'pair', part: [{ name: 'right', valueString: 'r' }] }),
      'missing-parameter: Parameter pair.left is missing; it must be text',
    ],
    [
      'a part of a wrong type',
      parameters(TEXT, { name: 'pair', part: [{ name: 'left', valueInteger: 1 }] }),
      'invalid-parameter: Parameter pair.left must be text',
    ],
    [
      'an unknown part',
      parameters(TEXT, {
        name: 'pair',
        part: [
          { name: 'left', valueString: 'l' },
          { name: 'middle', valueString: 'm' },
        ],
      }),
      'unknown-parameter: Parameter pair.middle is not known; pair has left, right',
    ],
    [
      'an unknown one, an out parameter too',
      parameters(TEXT, { name: 'answer', valueString: 'x' }),
      'unknown-parameter: Parameter answer is not known; this operation takes text, flag, count, price, day, word, who, patient, pair',
    ],
  ])('%s is named with what would be right', (_what, body, message) => {
    expect(issues(() => readInput(definition, body))).toEqual([message])
  })

  test('all problems are named at once', () => {
    expect(
      issues(() =>
        readInput(definition, parameters({ name: 'day', valueDate: '2025-02-30' }, { name: 'x', valueString: 'y' })),
      ),
    ).toHaveLength(3)
  })

  test.each([
    [{ resourceType: 'Parameters', parameter: {} }],
    [parameters('x')],
    [parameters({ valueString: 'x' })],
    [parameters({ name: 'text' })],
    [parameters({ name: 'text', valueString: 'x', valueCode: 'y' })],
    [parameters(TEXT, { name: 'flag', _valueString: { extension: [] }, valueBoolean: true })],
    [parameters(TEXT, { name: 'flag', valueBoolean: true, _valueString: { extension: [] } })],
    [parameters({ name: 'text', _valueString: { extension: [] } })],
    [parameters(TEXT, { name: 'patient', resource: { resourceType: 'Patient' }, valueString: 'x' })],
    [parameters(TEXT, { name: 'pair', part: [{ name: 'left', valueString: 'l' }], valueString: 'x' })],
    [{ text: 'x' }],
    ['x'],
    [[]],
  ])('%j is 400', (body) => {
    expect(() => readInput(definition, body)).toThrow(expect.objectContaining({ status: 400 }))
  })
})

describe('a bare resource', () => {
  const match = { parameter: [parameter('resource', 'Resource', { min: 1 }), parameter('count', 'integer')] }
  test('is the one parameter that takes it', () => {
    expect(readInput(match, { resourceType: 'Patient' })).toEqual({ resource: { resourceType: 'Patient' } })
  })
  test('is the parameter that another one is another name of', () => {
    const extension = [
      {
        url: 'https://sandbox-emr.example/fhir/StructureDefinition/other-name-of-parameter',
        valueString: 'patient',
      },
    ]
    const both = [parameter('patient', 'Patient'), parameter('old', 'Patient', { extension })]
    const patient = { resourceType: 'Patient' }
    expect(readInput({ parameter: both }, patient)).toEqual({ patient })
    expect(readInput({ parameter: both }, parameters({ name: 'old', resource: patient }))).toEqual({ old: patient })
  })
  test('is refused where several parameters take it', () => {
    const both = [parameter('one', 'Patient'), parameter('other', 'Patient')]
    expect(() => readInput({ parameter: both }, { resourceType: 'Patient' })).toThrow(
      /does not take a Patient by itself/,
    )
  })
  test('is refused where no parameter takes it', () => {
    expect(() => readInput(definition, { resourceType: 'Group' })).toThrow(/does not take a Group by itself/)
  })
})

describe('a query string', () => {
  test('becomes what the definition says', () => {
    const query = new URLSearchParams('text=5&flag=true&count=5&word=a&word=b&_format=json')
    expect(readInput(definition, undefined, query)).toEqual({ text: '5', flag: true, count: 5, word: ['a', 'b'] })
  })
  test('may hold what R4 leaves to a body: references, identifiers, and JSON of other data types', () => {
    const names = ['Reference', 'Identifier', 'Timing'].map((type) => parameter(type, type, { max: '*' }))
    const query = new URLSearchParams([
      ['Reference', 'Patient/1'],
      ['Reference', '{"identifier":{"value":"x"}}'],
      ['Identifier', 'http://ids|7'],
      ['Identifier', '7'],
      ['Timing', '{"repeat":{"count":1}}'],
    ])
    expect(readInput({ parameter: names }, undefined, query)).toEqual({
      Reference: [{ reference: 'Patient/1' }, { identifier: { value: 'x' } }],
      Identifier: [{ system: 'http://ids', value: '7' }, { value: '7' }],
      Timing: [{ repeat: { count: 1 } }],
    })
    for (const text of ['mornings', '{"repeat":'])
      expect(issues(() => readInput({ parameter: names }, undefined, new URLSearchParams({ Timing: text })))).toEqual([
        'invalid-parameter: Parameter Timing must be an object of the type Timing',
      ])
  })
  test('adds to a bare resource, and to Parameters', () => {
    const query = new URLSearchParams('text=x&count=2')
    const patient = { resourceType: 'Patient' }
    expect(readInput(definition, patient, query)).toEqual({ patient, text: 'x', count: 2 })
    expect(readInput(definition, parameters({ name: 'flag', valueBoolean: true }), query)).toEqual({
      flag: true,
      text: 'x',
      count: 2,
    })
    expect(issues(() => readInput(definition, parameters(TEXT), query))).toEqual([
      'invalid-parameter: Parameter text is given 2 times; it may be given once',
    ])
  })
  test('names what belongs to no parameter, but _format, _pretty, _cursor and cache-busters belong to the request', () => {
    const query = new URLSearchParams('text=x&_format=xml&_pretty=true&_cursor=a&_=1&_dc=2&_ts=3&_elements=id')
    expect(issues(() => readInput(definition, undefined, query))).toEqual([
      'unknown-parameter: Parameter _elements is not known; this operation takes text, flag, count, price, day, word, who, patient, pair',
    ])
  })
  test.each(['text=x&flag=1', 'text=x&count=1.5', 'text=x&count=many', 'text=x&day=yesterday', 'text=x&who=me'])(
    '%s is refused',
    (query) => expect(issues(() => readInput(definition, undefined, new URLSearchParams(query)))).toHaveLength(1),
  )
  test('no body and no query are no parameters', () => {
    expect(readInput({ parameter: [] }, undefined)).toEqual({})
    expect(issues(() => readInput(definition, undefined))).toHaveLength(1)
  })
})

describe('the arguments of a tool call', () => {
  test('are taken by name; what the definition does not know is left out, so that it can select nothing', () => {
    const given = { text: 'x', flag: true, patientId: 'p', clinicId: 'c', answer: 'a', constructor: 'x' }
    expect(readArguments(definition, given)).toEqual({ text: 'x', flag: true })
  })
  test.each([[null], [undefined], [''], ['   ']])('%p counts as absent', (value) => {
    expect(readArguments(definition, { text: 'x', flag: value })).toEqual({ text: 'x' })
    expect(issues(() => readArguments(definition, { text: value }))).toEqual([
      'missing-argument: Argument text is missing; it must be text',
    ])
  })
  test.each(['none', 'N/A', ' n/a ', 'Not applicable'])('%p counts as absent where it is optional', (value) => {
    expect(readArguments(definition, { text: value, flag: value })).toEqual({ text: value })
  })
  test.each([
    [5, '5'],
    [0, '0'],
    [true, 'true'],
    [false, 'false'],
  ])('%j is text where text is asked for', (value, text) => {
    expect(readArguments(definition, { text: value })).toEqual({ text })
  })
  test.each([
    ['text', {}],
    ['text', ['x']],
    ['flag', 'true'],
    ['flag', 1],
    ['count', '5'],
    ['count', 1.5],
    ['count', 2 ** 31],
    ['day', '03/03/1980'],
    ['who', 'Doe'],
  ])('%s: %j is of the wrong type', (name, value) => {
    expect(issues(() => readArguments(definition, { text: 'x', [name]: value }))).toEqual([
      expect.stringMatching(`^invalid-argument: Argument ${name} must be `),
    ])
  })
  test('a whole number may be written with a point', () => {
    expect(readArguments(definition, parseJson('{"text":"x","count":12500.0}') as Record<string, unknown>)).toEqual({
      text: 'x',
      count: 12500,
    })
  })
  test('names of the language are not arguments', () => {
    const own = { parameter: [parameter('toString', 'string', { min: 1 })] }
    expect(issues(() => readArguments(own, {}))).toHaveLength(1)
  })
  test('can be had unchecked, for a handler that checks each', () => {
    expect(knownArguments(definition, { text: 5, flag: 'yes', count: null, other: 1 })).toEqual({
      text: 5,
      flag: 'yes',
    })
  })
})

describe('a parameter that the definition marks as ignored', () => {
  const url = 'https://sandbox-emr.example/fhir/StructureDefinition/ignored-parameter'
  const marked = (valueBoolean: boolean) => ({
    parameter: [parameter('text', 'string'), parameter('day', 'date', { extension: [{ url, valueBoolean }] })],
  })
  const VALUES = ['2020-01-01', 'nonsense', 7, true, {}, { year: 1980 }, [], ['1980', 3], null]

  test.each(VALUES)('no value is wrong as an argument, and none is handed on: %j', (day) => {
    expect(readArguments(marked(true), { text: 'x', day })).toEqual({ text: 'x' })
    expect(knownArguments(marked(true), { text: 'x', day })).toEqual({ text: 'x' })
  })

  test('nor one of a Parameters resource or a query, however often it is given', () => {
    const body = parameters(TEXT, { name: 'day', valueInteger: 7 }, { name: 'day', valueString: 'nonsense' })
    expect(readInput(marked(true), body)).toEqual({ text: 'x' })
    expect(readInput(marked(true), undefined, new URLSearchParams('text=x&day=7&day=8'))).toEqual({ text: 'x' })
  })

  test('is known, so it is not named among the arguments that the definition does not have', () => {
    expect(ignoredArguments(marked(true), { day: '2020-01-01', Text: 'x', other: 'x' })).toEqual([
      { name: 'Text', nearest: 'text' },
      { name: 'other' },
    ])
  })

  test('where the mark says false it is checked', () => {
    expect(issues(() => readArguments(marked(false), { day: 7 }))).toEqual([
      expect.stringContaining('invalid-argument: Argument day must be'),
    ])
    expect(readArguments(marked(false), { day: '2020-01-01' })).toEqual({ day: '2020-01-01' })
  })
})
