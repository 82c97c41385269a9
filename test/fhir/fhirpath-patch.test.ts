/** FHIRPath Patch as the server applies it: https://hl7.org/fhir/R4/fhirpatch.html, with the cases of HL7's test suite. */
import { describe, expect, test } from '@jest/globals'
import { parseJson } from '../../src/fhir/json.ts'
import { FhirError } from '../../src/fhir/outcome.ts'
import { readFhirPathPatch } from '../../src/fhir/patch/fhirpath-patch.ts'

type Json = Record<string, unknown>

/** `{ type: 'add', path: 'Patient', name: 'birthDate', value: { valueDate: '1930-01-01' } }` as Parameters. */
const TYPES: Record<string, string> = {
  type: 'valueCode',
  path: 'valueString',
  name: 'valueString',
  index: 'valueInteger',
  source: 'valueInteger',
  destination: 'valueInteger',
}
const operation = (parts: Json): Json => ({
  name: 'operation',
  part: Object.entries(parts).map(([name, value]) =>
    name === 'value' ? { name, ...(value as Json) } : { name, [TYPES[name] ?? 'valueString']: value },
  ),
})
const parameters = (...operations: readonly Json[]): Json => ({
  resourceType: 'Parameters',
  ...(operations.length === 0 ? {} : { parameter: operations.map(operation) }),
})
const patient = (elements: Json): Json => ({ resourceType: 'Patient', ...elements })

const apply = (resource: Json, ...operations: readonly Json[]): unknown =>
  readFhirPathPatch(parameters(...operations))(structuredClone(resource))

function refusal(work: () => unknown): unknown {
  try {
    return work()
  } catch (error) {
    return error instanceof FhirError ? [error.status, error.code] : error
  }
}

const named = (...values: readonly string[]) => values.map((value) => ({ system: 'http://example.org', value }))
const contact = { name: { text: 'a name' }, gender: 'male' }
const family = [
  { use: 'official', family: 'A', given: ['a', 'b'] },
  { use: 'usual', given: ['c'] },
]

type Case = readonly [what: string, before: Json, operations: readonly Json[], after: Json]

const CASES: readonly Case[] = [
  ['no operation changes nothing', { birthDate: '1920-01-01' }, [], { birthDate: '1920-01-01' }],
  [
    'replace changes a primitive',
    { birthDate: '1920-01-01' },
    [{ type: 'replace', path: 'Patient.birthDate', value: { valueDate: '1930-01-01' } }],
    { birthDate: '1930-01-01' },
  ],
  ['delete takes a primitive out', { birthDate: '1920-01-01' }, [{ type: 'delete', path: 'Patient.birthDate' }], {}],
  ['delete of what is not there changes nothing', {}, [{ type: 'delete', path: 'Patient.birthDate' }], {}],
  [
    'add puts in a primitive',
    {},
    [{ type: 'add', path: 'Patient', name: 'birthDate', value: { valueDate: '1930-01-01' } }],
    { birthDate: '1930-01-01' },
  ],
  [
    'replace reaches into a list by index',
    { contact: [contact] },
    [{ type: 'replace', path: 'Patient.contact[0].gender', value: { valueCode: 'female' } }],
    { contact: [{ ...contact, gender: 'female' }] },
  ],
  [
    'delete takes out what is empty without the element',
    { contact: [contact] },
    [{ type: 'delete', path: 'Patient.contact[0].name.text' }],
    { contact: [{ gender: 'male' }] },
  ],
  [
    'delete takes out a list whose only item is empty without the element',
    { contact: [{ name: { text: 'a name' } }] },
    [{ type: 'delete', path: 'Patient.contact.name.text' }],
    {},
  ],
  [
    'add puts an element into an item of a list',
    { contact: [{ name: { text: 'a name' } }] },
    [{ type: 'add', path: 'Patient.contact[0]', name: 'gender', value: { valueCode: 'male' } }],
    { contact: [contact] },
  ],
  [
    'replace exchanges a complex element, its id included',
    { maritalStatus: { id: '1', text: 'married' } },
    [
      {
        type: 'replace',
        path: 'Patient.maritalStatus',
        value: { valueCodeableConcept: { id: '2', text: 'not married' } },
      },
    ],
    { maritalStatus: { id: '2', text: 'not married' } },
  ],
  [
    'add puts in a backbone element made of parts',
    {},
    [
      {
        type: 'add',
        path: 'Patient',
        name: 'contact',
        value: {
          part: [
            { name: 'name', valueHumanName: { text: 'a name' } },
            { name: 'telecom', valueContactPoint: { value: '1' } },
            { name: 'gender', valueCode: 'male' },
          ],
        },
      },
    ],
    { contact: [{ name: { text: 'a name' }, telecom: [{ value: '1' }], gender: 'male' }] },
  ],
  [
    'parts may be made of parts',
    {},
    [
      {
        type: 'add',
        path: 'Patient',
        name: 'contact',
        value: {
          part: [{ name: 'name', part: ['a', 'b'].map((given) => ({ name: 'given', valueString: given })) }],
        },
      },
    ],
    { contact: [{ name: { given: ['a', 'b'] } }] },
  ],
  [
    'add appends to a list',
    { identifier: named('1', '2') },
    [{ type: 'add', path: 'Patient', name: 'identifier', value: { valueIdentifier: named('3')[0] } }],
    { identifier: named('1', '2', '3') },
  ],
  ...[0, 1, 2].map(
    (index): Case => [
      `insert puts an item at index ${index}`,
      { identifier: named('1', '2') },
      [{ type: 'insert', path: 'Patient.identifier', index, value: { valueIdentifier: named('new')[0] } }],
      { identifier: named('1', '2').toSpliced(index, 0, ...named('new')) },
    ],
  ),
  [
    'delete takes an item out of a list',
    { identifier: named('1', '2', '3') },
    [{ type: 'delete', path: "Patient.identifier.where(value = '2')" }],
    { identifier: named('1', '3') },
  ],
  ...(
    [
      [3, 1, ['1', '4', '2', '3']],
      [0, 3, ['2', '3', '4', '1']],
      [1, 2, ['1', '3', '2', '4']],
      [2, 2, ['1', '2', '3', '4']],
    ] as const
  ).map(
    ([source, destination, order]): Case => [
      `move brings item ${source} to ${destination}`,
      { identifier: named('1', '2', '3', '4') },
      [{ type: 'move', path: 'Patient.identifier', source, destination }],
      { identifier: named(...order) },
    ],
  ),
  [
    'each operation works on the result of the one before',
    { identifier: named('1', '2', '3', '4') },
    [
      { type: 'move', path: 'Patient.identifier', source: 3, destination: 0 },
      { type: 'move', path: 'Patient.identifier', source: 3, destination: 1 },
      { type: 'move', path: 'Patient.identifier', source: 3, destination: 2 },
    ],
    { identifier: named('4', '3', '2', '1') },
  ],
  [
    'a choice element is named without its type; the value says which it is',
    {},
    [{ type: 'add', path: 'Patient', name: 'deceased', value: { valueBoolean: true } }],
    { deceasedBoolean: true },
  ],
  [
    'replace gives a choice element another type',
    { deceasedBoolean: true, active: true },
    [{ type: 'replace', path: 'Patient.deceased', value: { valueDateTime: '2020' } }],
    { active: true, deceasedDateTime: '2020' },
  ],
  [
    'where, first, last, ofType and extension choose the element',
    { name: family, extension: [{ url: 'http://a', valueQuantity: { value: 1 } }] },
    [
      { type: 'replace', path: "Patient.name.where(use = 'usual').given.first()", value: { valueString: 'd' } },
      { type: 'replace', path: 'Patient.name[0].given.last()', value: { valueString: 'e' } },
      {
        type: 'replace',
        path: "Patient.extension('http://a').value.ofType(Quantity).value",
        value: { valueDecimal: 2 },
      },
    ],
    {
      name: [
        { ...family[0], given: ['a', 'e'] },
        { use: 'usual', given: ['d'] },
      ],
      extension: [{ url: 'http://a', valueQuantity: { value: 2 } }],
    },
  ],
  [
    'a path may start below the resource',
    { active: true },
    [{ type: 'replace', path: 'active', value: { valueBoolean: false } }],
    { active: false },
  ],
  [
    'an extension of a primitive comes with its value',
    {},
    [
      {
        type: 'add',
        path: 'Patient',
        name: 'birthDate',
        value: { valueDate: '1930', _valueDate: { extension: [{ url: 'http://a', valueCode: 'x' }] } },
      },
    ],
    { birthDate: '1930', _birthDate: { extension: [{ url: 'http://a', valueCode: 'x' }] } },
  ],
  [
    'add puts an extension on a primitive',
    { birthDate: '1930' },
    [
      {
        type: 'add',
        path: 'Patient.birthDate',
        name: 'extension',
        value: {
          part: [
            { name: 'url', valueUri: 'http://a' },
            { name: 'value', valueCode: 'x' },
          ],
        },
      },
    ],
    { birthDate: '1930', _birthDate: { extension: [{ url: 'http://a', valueCode: 'x' }] } },
  ],
  [
    'extensions of primitives in a list stay with their items',
    { name: [{ given: ['a', 'b', 'c'], _given: [null, { id: 'of-b' }, null] }] },
    [
      { type: 'insert', path: 'Patient.name[0].given', index: 0, value: { valueString: 'z' } },
      { type: 'delete', path: 'Patient.name[0].given[1]' },
      { type: 'move', path: 'Patient.name[0].given', source: 1, destination: 2 },
    ],
    { name: [{ given: ['z', 'c', 'b'], _given: [null, null, { id: 'of-b' }] }] },
  ],
]

test.each(CASES)('%s', (_what, before, operations, after) => {
  expect(apply(patient(before), ...operations)).toEqual(patient(after))
})

test('a contained resource is put in and changed like any element', () => {
  const organization = { resourceType: 'Organization', id: 'o', name: 'a' }
  expect(
    apply(
      patient({}),
      { type: 'add', path: 'Patient', name: 'contained', value: { resource: organization } },
      { type: 'replace', path: "Patient.contained.where(id = 'o').name", value: { valueString: 'b' } },
    ),
  ).toEqual(patient({ contained: [{ ...organization, name: 'b' }] }))
})

test('decimals keep their digits, those that the patch touches and those it does not', () => {
  const text =
    '{"resourceType":"Observation","valueQuantity":{"value":1.00},"component":[{"valueQuantity":{"value":3.10}}]}'
  const patch = parseJson(
    JSON.stringify(
      parameters({ type: 'replace', path: 'Observation.value.value', value: { valueDecimal: 'D' } }),
    ).replace('"D"', '2.50'),
  )
  expect(JSON.stringify(readFhirPathPatch(patch)(parseJson(text)))).toBe(text.replace('1.00', '2.50'))
})

test('a patch gives the same result when it is applied again, as it is when another change came between', () => {
  const patch = readFhirPathPatch(
    parameters(
      { type: 'add', path: 'Patient', name: 'name', value: { valueHumanName: { given: ['a'] } } },
      { type: 'add', path: 'Patient.name', name: 'given', value: { valueString: 'b' } },
    ),
  )
  const expected = patient({ name: [{ given: ['a', 'b'] }] })
  expect(patch(patient({}))).toEqual(expected)
  expect(patch(patient({}))).toEqual(expected)
})

describe('what fits no place of the resource is 422 and says which operation', () => {
  const before = patient({ name: family, active: true, birthDate: '1930', identifier: named('1') })

  test.each<[what: string, operation: Json, code: string]>([
    [
      'a path that selects nothing',
      { type: 'replace', path: 'Patient.gender', value: { valueCode: 'male' } },
      'patch-path-not-found',
    ],
    [
      'an add at nothing',
      { type: 'add', path: 'Patient.identifier.period', name: 'end', value: { valueDate: '2021' } },
      'patch-path-not-found',
    ],
    ['a path that selects several', { type: 'delete', path: 'Patient.name' }, 'patch-path-several'],
    [
      'a replace of several',
      { type: 'replace', path: 'Patient.name.given', value: { valueString: 'x' } },
      'patch-path-several',
    ],
    [
      'an add of what exists',
      { type: 'add', path: 'Patient', name: 'active', value: { valueBoolean: false } },
      'patch-element-exists',
    ],
    [
      'a value of another type',
      { type: 'replace', path: 'Patient.name[0]', value: { valueIdentifier: {} } },
      'patch-value-type',
    ],
    [
      'a number for a text',
      { type: 'replace', path: 'Patient.birthDate', value: { valueInteger: 1 } },
      'patch-value-type',
    ],
    [
      'a type that a choice does not have',
      { type: 'add', path: 'Patient', name: 'deceased', value: { valuePeriod: {} } },
      'patch-value-type',
    ],
    [
      'parts for a primitive',
      { type: 'replace', path: 'Patient.active', value: { part: [{ name: 'x', valueCode: 'y' }] } },
      'patch-value-type',
    ],
    [
      'parts that the element does not have',
      { type: 'add', path: 'Patient', name: 'contact', value: { part: [{ name: 'x', valueCode: 'y' }] } },
      'business-rule',
    ],
    [
      'an index outside the list',
      { type: 'insert', path: 'Patient.name', index: 3, value: { valueHumanName: {} } },
      'patch-path-not-found',
    ],
    [
      'a source outside the list',
      { type: 'move', path: 'Patient.name', source: 2, destination: 0 },
      'patch-path-not-found',
    ],
    [
      'a destination outside the list',
      { type: 'move', path: 'Patient.name', source: 0, destination: 2 },
      'patch-path-not-found',
    ],
    [
      'an insert into no list',
      { type: 'insert', path: 'Patient.telecom', index: 0, value: { valueContactPoint: {} } },
      'patch-path-not-found',
    ],
    [
      'a condition that cannot be applied',
      { type: 'delete', path: "Patient.where(name.given.startsWith('a')).active" },
      'patch-path-not-found',
    ],
  ])('%s', (_what, one, code) => {
    expect(refusal(() => apply(before, { type: 'delete', path: 'Patient.gender' }, one))).toEqual([422, code])
    expect(() => apply(before, { type: 'delete', path: 'Patient.gender' }, one)).toThrow(/parameter\[1\]|The condition/)
  })
})

describe('what is no FHIRPath Patch is 400', () => {
  const part = (parts: Json) => ({ resourceType: 'Parameters', parameter: [operation(parts)] })
  const path = (text: string) => part({ type: 'delete', path: text })

  test.each<[what: string, body: unknown]>([
    ['a resource of another type', { resourceType: 'Patient' }],
    ['parameters that are no list', { resourceType: 'Parameters', parameter: {} }],
    ['a parameter of another name', { resourceType: 'Parameters', parameter: [{ name: 'change', part: [] }] }],
    ['a parameter that is no object', { resourceType: 'Parameters', parameter: [1] }],
    ['an operation without parts', { resourceType: 'Parameters', parameter: [{ name: 'operation' }] }],
    ['a part without a name', { resourceType: 'Parameters', parameter: [{ name: 'operation', part: [{}] }] }],
    ['an unknown type', part({ type: 'copy', path: 'Patient' })],
    ['an operation without a type', part({ path: 'Patient' })],
    ['an add without a name', part({ type: 'add', path: 'Patient', value: { valueCode: 'x' } })],
    ['an add without a value', part({ type: 'add', path: 'Patient', name: 'gender' })],
    ['a delete with a value', part({ type: 'delete', path: 'Patient.gender', value: { valueCode: 'x' } })],
    ['an insert without an index', part({ type: 'insert', path: 'Patient.name', value: { valueHumanName: {} } })],
    ['a negative index', part({ type: 'insert', path: 'Patient.name', index: -1, value: { valueHumanName: {} } })],
    ['a broken index', part({ type: 'move', path: 'Patient.name', source: 0.5, destination: 0 })],
    ['a value without a value', part({ type: 'replace', path: 'Patient.gender', value: {} })],
    [
      'a value of two types',
      part({ type: 'replace', path: 'Patient.gender', value: { valueCode: 'x', valueString: 'x' } }),
    ],
    [
      'a value of one type with an extension of another',
      part({
        type: 'add',
        path: 'Patient',
        name: 'deceased',
        value: { _valueString: { extension: [{ url: 'http://a', valueCode: 'x' }] }, valueBoolean: true },
      }),
    ],
    ['a value of no R4 type', part({ type: 'replace', path: 'Patient.gender', value: { valueWord: 'x' } })],
    ['a path that is no FHIRPath', path('Patient..name')],
    ['a path with a word too much', path('Patient name')],
    ['a path that is no text', path(1 as unknown as string)],
    ['a path that calculates', path("Patient.name.given & 'x'")],
    ['a path that is a literal', path("'Patient'")],
    ['a path through all descendants', path('Patient.descendants()')],
    ['a path that follows references', path('Patient.managingOrganization.resolve().name')],
    ['a path with a calculated index', path('Patient.name[Patient.name.count() - 1]')],
    ['a condition on the whole resource', path('Patient.name.where(%resource.active)')],
    ['a condition with a regular expression', path("Patient.name.where(family.matches('(a+)+$'))")],
    ['a condition with an unknown function', path('Patient.name.where(family.nothing())')],
    ['a path longer than 1,000 characters', path(`Patient.name.where(family = '${'x'.repeat(1000)}')`)],
  ])('%s', (_what, body) => {
    expect(refusal(() => readFhirPathPatch(body)(patient({ name: family })))).toEqual([400, 'invalid'])
  })

  test.each([
    ['a path of another type', 'Observation.status'],
    ['an element that the type does not have', 'Patient.brithDate'],
    ['an element that the data type does not have', 'Patient.name.first'],
    ['the whole resource', 'Patient'],
    ['a list named by a condition', 'Patient.name.where(true)'],
  ])('%s, as soon as it is met', (_what, text) => {
    const type = text.startsWith('Patient.name.where')
      ? { type: 'move', source: 0, destination: 0 }
      : { type: 'delete' }
    expect(refusal(() => apply(patient({ name: family }), { ...type, path: text }))).toEqual([400, 'invalid'])
  })

  test('more than 1,000 operations are 413', () => {
    const many = Array.from({ length: 1001 }, () => ({ type: 'delete', path: 'Patient.gender' }))
    expect(refusal(() => apply(patient({}), ...many))).toEqual([413, 'too-costly'])
  })

  test('conditions that together look at too much are 413', () => {
    const identifier = named(...Array.from({ length: 2000 }, (_none, index) => String(index)))
    const many = Array.from({ length: 999 }, () => ({
      type: 'delete',
      path: "Patient.where(identifier.where(value = 'x').exists()).gender",
    }))
    expect(refusal(() => apply(patient({ identifier }), ...many))).toEqual([413, 'too-costly'])
  })

  test('a part of the resource, as a JSON Merge Patch is, is told that R4 has no such patch', () => {
    expect(() => readFhirPathPatch({ active: true })).toThrow('a JSON Merge Patch) is no patch of R4')
  })
})
