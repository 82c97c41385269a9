/** The patients that texts are about. */
import { describe, expect, test } from '@jest/globals'
import { patientsIn, patientsOf } from '../../../src/fhir-api/message/access.ts'

const BASE = 'https://emr.example/fhir'

describe('the patients of a text', () => {
  const cases: readonly (readonly [name: string, content: unknown, found: readonly string[]])[] = [
    ['a relative reference', { subject: { reference: 'Patient/a' } }, ['a']],
    ['a reference to a version', { subject: { reference: 'Patient/a/_history/3' } }, ['a']],
    ['a reference below the address of this server', { subject: { reference: `${BASE}/Patient/a` } }, ['a']],
    ['a reference to another server', { subject: { reference: 'https://other.example/Patient/a' } }, []],
    [
      'several, each once',
      [{ reference: 'Patient/a' }, { reference: 'Patient/b' }, { reference: 'Patient/a' }],
      ['a', 'b'],
    ],
    ['a Patient resource', { entry: [{ resource: { resourceType: 'Patient', id: 'a' } }] }, ['a']],
    ['a reference by a condition', { subject: { reference: 'Patient?identifier=x' } }, []],
    ['an address that is no reference', { fullUrl: `${BASE}/Patient/a`, url: 'Patient/a' }, []],
    ['a text that looks like one', { note: '"reference":"Patient/a"' }, []],
    ['the word alone', { type: 'Patient', text: 'Patient/', display: 'Patient' }, []],
    ['nobody', {}, []],
  ]

  test.each(cases)('are found by %s', (_name, content, found) => {
    expect(patientsIn(JSON.stringify(content), BASE)).toEqual(found)
  })

  test('of a Patient itself are that one, whomever it refers to', () => {
    const text = JSON.stringify({ resourceType: 'Patient', id: 'a', link: [{ other: { reference: 'Patient/b' } }] })
    expect(patientsOf([{ type: 'Patient', id: 'a', text }], BASE)).toEqual(['a'])
  })

  test('are a thousand at most', () => {
    const member = Array.from({ length: 2_000 }, (_, n) => ({ entity: { reference: `Patient/${n}` } }))
    expect(patientsIn(JSON.stringify({ resourceType: 'Group', member }), '')).toHaveLength(1_000)
  })
})
