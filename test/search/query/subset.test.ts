/** https://hl7.org/fhir/R4/search.html#summary and #elements */
import { describe, expect, test } from '@jest/globals'
import { propertiesOf, subsetOf } from '../../../src/search/query/subset.ts'
import { refusal, search } from '../support.ts'

const read = (query: string) => subsetOf(new URLSearchParams(query), 'Patient')

describe('_summary and _elements of a search and of a read', () => {
  test.each([
    ['birthDate, gender', ['birthDate', 'gender']],
    ['name.family', ['name']],
    ['name.given,Patient.name,Practitioner.name.family', ['name', 'Patient.name', 'Practitioner.name']],
    ['contact.name.family,meta.tag.system,text.div', ['contact', 'meta', 'text']],
    ['id,meta,text', ['id', 'meta', 'text']],
    ['id,resourceType,Patient.resourceType', ['id']],
    ['resourceType', []],
    ['deceased[x],multipleBirth,deceasedBoolean', ['deceased', 'multipleBirth', 'deceased']],
  ])('are alike: %s are the top-level elements %j', (value, elements) => {
    expect(search(`Patient?_elements=${value}`).elements).toEqual(elements)
    expect(read(`_elements=${value}`).elements).toEqual(elements)
  })

  test.each([
    '_summary=all',
    '_elements=name,,gender',
    '_elements=Patient',
    '_elements=status',
    '_elements=name.first',
    '_elements=contact.name.first',
    '_elements=gender.text',
    '_elements=name.',
    '_elements=name.resourceType',
    '_elements=resourceType.id',
  ])('are refused alike: %s', (query) => {
    const message = refusal(`Patient?${query}`)
    expect(message).toContain(query.split('=', 1)[0])
    expect(() => read(query)).toThrow(message)
  })

  test('are absent where nothing is asked for', () => {
    for (const query of ['_pretty=true', '_summary=&_elements=']) {
      expect(read(query)).toEqual({ summary: undefined, elements: undefined })
    }
  })

  test('of several types: an element of one of them will do', () => {
    const types = ['Patient', 'Slot']
    expect(search('?_elements=start,birthDate', { types }).elements).toEqual(['start', 'birthDate'])
    expect(refusal('?_elements=starts', { types })).toContain("there is no element 'starts' in Patient and Slot")
  })
})

describe('the JSON names of elements', () => {
  test('are those of every type of a choice, and of this type of resource alone', () => {
    const elements = ['deceased', 'Patient.name', 'Practitioner.gender']
    expect(propertiesOf('Patient', elements)).toEqual(['name', 'deceasedBoolean', 'deceasedDateTime'])
    expect(propertiesOf('Practitioner', elements)).toEqual(['gender'])
  })
})
