/** Displays and codes compared with the code systems at hand. */
import { describe, expect, test } from '@jest/globals'
import type { CodeSystem } from 'fhir/r4'
import { said, thoroughIssues } from './support.ts'

const GENDERS = 'http://hl7.org/fhir/administrative-gender'
const COLOURS = 'http://example.org/colours'
const colours: CodeSystem = {
  resourceType: 'CodeSystem',
  id: 'colours',
  url: COLOURS,
  version: '2',
  status: 'active',
  content: 'complete',
  concept: [{ code: 'r', display: 'Red', designation: [{ language: 'de', value: 'Rot' }] }, { code: 'x' }],
}
const basic = (...coding: readonly object[]) => ({ resourceType: 'Basic', code: { coding } })

describe('a display', () => {
  test('is compared with the names of the code, and a wrong one is a warning that tells the right one', async () => {
    const [issue, ...others] = await thoroughIssues(basic({ system: COLOURS, code: 'r', display: 'Green' }), [colours])
    expect(others).toEqual([])
    expect(issue).toMatchObject({ severity: 'warning', code: 'code-invalid', expression: 'Basic.code.coding[0]' })
    expect(issue?.diagnostics).toContain('has the display "Green", which is wrong for http://example.org/colours|r')
    expect(issue?.diagnostics).toContain('its display is "Red"')
  })

  test.each([
    ['the display', { system: COLOURS, code: 'r', display: 'Red' }],
    ['the display, whatever its case', { system: COLOURS, code: 'r', display: ' red' }],
    ['a designation', { system: COLOURS, code: 'r', display: 'Rot' }],
    ['none', { system: COLOURS, code: 'r' }],
    ['one of a code without a display', { system: COLOURS, code: 'x', display: 'anything' }],
    ['one of a system that is not at hand', { system: 'http://loinc.org', code: '1-8', display: 'anything' }],
    ['one of a version that is not at hand', { system: COLOURS, version: '1', code: 'r', display: 'anything' }],
    [
      'one of a system with a grammar',
      { system: 'https://www.iana.org/time-zones', code: 'Europe/Berlin', display: 'x' },
    ],
  ])('that is %s is right', async (_what, coding) => {
    expect(await said(basic(coding), [colours])).toEqual([])
  })

  test('of a code of R4 itself is compared too, wherever a Coding stands', async () => {
    const tag = [{ system: 'http://terminology.hl7.org/CodeSystem/v3-ActReason', code: 'HTEST', display: 'test' }]
    expect(await said({ ...basic({ system: GENDERS, code: 'male', display: 'Female' }), meta: { tag } })).toEqual([
      'warning code-invalid Basic.code.coding[0]',
      'warning code-invalid Basic.meta.tag[0]',
    ])
  })
})

describe('a code', () => {
  test('that its code system does not have is a warning', async () => {
    const [issue] = await thoroughIssues(basic({ system: COLOURS, code: 'g' }), [colours])
    expect(issue?.severity).toBe('warning')
    expect(issue?.diagnostics).toContain(
      'has the code g, which the code system http://example.org/colours does not have',
    )
  })

  test('without a system is a warning, as it has no meaning', async () => {
    expect(await said(basic({ code: 'g' }))).toEqual(['warning code-invalid Basic.code.coding[0]'])
    expect(await said(basic({ display: 'Green' }))).toEqual([])
  })

  test('of which only a part of the code system is here is not judged', async () => {
    expect(await said(basic({ system: COLOURS, code: 'g' }), [{ ...colours, content: 'fragment' }])).toEqual([])
  })

  test('of a bound element is told of once, by the binding', async () => {
    const coding = [{ system: 'http://terminology.hl7.org/CodeSystem/v3-MaritalStatus', code: 'ZZ' }]
    expect(await said({ resourceType: 'Patient', maritalStatus: { coding } })).toEqual([
      'warning code-invalid Patient.maritalStatus',
    ])
  })
})

test('more code systems than one check loads are passed over', async () => {
  const coding = Array.from({ length: 400 }, (_, index) => ({ system: `http://no/where/${index}`, code: 'x' }))
  const last = { system: COLOURS, code: 'r', display: 'Green' }
  expect(await said(basic(...coding, last), [colours])).toEqual([])
  expect(await said(basic(last, ...coding), [colours])).toEqual(['warning code-invalid Basic.code.coding[0]'])
})
