/**
 * The parameters that are like no other: `near` of https://hl7.org/fhir/R4/location.html#search, and of every type
 * `_filter`, `_list`, `_text`, `_content`.
 */
import type { Table } from './table.ts'

const location = (latitude: number, longitude: number) => ({
  resourceType: 'Location',
  name: 'x',
  position: { latitude, longitude },
})
const basic = (div: string, text: string) => ({
  resourceType: 'Basic',
  text: { status: 'generated', div: `<div xmlns="http://www.w3.org/1999/xhtml"><p>${div}</p></div>` },
  code: { text },
})
const patient = (given: string, family: string, birthDate: string) => ({
  resourceType: 'Patient',
  name: [{ given: [given], family }],
  birthDate,
})

export const special: Table = {
  name: 'special',
  resources: [
    // Boston, Cambridge 4.5 km away, Taveuni on both sides of the meridian 2 km apart, the North Pole
    location(42.3601, -71.0589),
    location(42.3736, -71.1097),
    location(-17, 179.99),
    location(-17, -179.99),
    location(90, 0),
    { resourceType: 'Location', name: 'x' },
    // 6 to 8
    patient('Peter', 'Chalmers', '1974-12-25'),
    patient('Pieter', 'van de Heuvel', '1944-11-17'),
    patient('Amy', 'Shaw', '1987-02-20'),
    {
      resourceType: 'List',
      status: 'current',
      mode: 'working',
      entry: [{ item: { reference: 'Patient/special-6' } }, { item: { reference: 'Location/special-4' } }],
    },
    // 10 and 11
    basic('metastases of the liver', 'Bone'),
    basic('bone and lung', 'Liver'),
  ],
  rows: [
    ['Location?near=42.36|-71.06|1|km', [0]],
    ['Location?near=42.36|-71.06|3|[mi_us]', [0, 1]],
    ['Location?near=42.36|-71.06|5000|m', [0, 1]],
    ['Location?near=42.36|-71.06', [0, 1]],
    ['Location?near=-17|180|2', [2, 3]],
    ['Location?near=89.999|123|1', [4]],
    ['Location?near=42.36|-71.06|1,-17|180|2', [0, 2, 3]],
    ['Location?near:missing=true', [5]],
    ['Patient?_filter=given eq "peter" and birthdate ge 1974-12-25', [6]],
    ['Patient?_filter=given eq "peter" or birthdate lt 1950', [6, 7]],
    ['Patient?_filter=given sw "p" and not (birthdate lt 1950)', [6]],
    ['Patient?_filter=family co "heu"', [7]],
    ['Patient?_filter=given ew "eter"', [6, 7]],
    ['Patient?_list=special-9', [6]],
    ['Location?_list=special-9', [4]],
    ['Basic?_text=liver', [10]],
    ['Basic?_text=(bone OR liver) NOT lung', [10]],
    ['Basic?_text=metas*', [10]],
    ['Basic?_content=liver', [10, 11]],
    ['Basic?_content=liver metastases', [10]],
  ],
}
