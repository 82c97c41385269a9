/** https://hl7.org/fhir/R4/search.html#uri */
import type { Table } from './table.ts'

const valueSet = (url?: string) => ({
  resourceType: 'ValueSet',
  status: 'active',
  ...(url === undefined ? {} : { url }),
})

export const uri: Table = {
  name: 'uri',
  resources: [
    valueSet('http://acme.org/fhir/ValueSet/123'),
    valueSet('http://acme.org/fhir/ValueSet/123/_history/5'),
    valueSet('http://acme.org/fhir/ValueSet/1234'),
    valueSet('http://acme.org/fhir'),
    valueSet('http://acme.org/fhirs'),
    valueSet('http://ACME.org/fhir/ValueSet/123'),
    valueSet('urn:oid:1.2.3.4.5'),
    valueSet('urn:oid:1.2.3.4.5.6'),
    valueSet(),
    { ...valueSet('http://other.org/v'), version: '1.0' },
    { ...valueSet('http://other.org/v'), version: '2.0' },
  ],
  rows: [
    // R4's own; "the comparison is case and accent sensitive".
    ['ValueSet?url=http://acme.org/fhir/ValueSet/123', [0]],
    ['ValueSet?url=http://ACME.org/fhir/ValueSet/123', [5]],
    // "any value sets that have a URL that starts with".
    ['ValueSet?url:below=http://acme.org/fhir/', [0, 1, 2]],
    ['ValueSet?url:below=http://acme.org/fhir', [0, 1, 2, 3, 4]],
    ['ValueSet?url:below=http://acme.org/fhir/ValueSet/123', [0, 1, 2]],
    ['ValueSet?url:below=http://acme.org/fhir/Val', [0, 1, 2]],
    // "any value set above a given specific URL".
    ['ValueSet?url:above=http://acme.org/fhir/ValueSet/123/_history/5', [0, 1, 3]],
    ['ValueSet?url:above=http://acme.org/fhirsource', [3, 4]],
    ['ValueSet?url=urn:oid:1.2.3.4.5', [6]],
    ['ValueSet?url=urn:oid:1.2.3.4.5,http://acme.org/fhir', [3, 6]],
    ['ValueSet?url:missing=true', [8]],
    // references.html#canonical: "a canonical reference may have a version".
    ['ValueSet?url=http://other.org/v', [9, 10]],
    ['ValueSet?url=http://other.org/v|1.0', [9]],
    ['ValueSet?url=http://other.org/v|1', []],
  ],
}
