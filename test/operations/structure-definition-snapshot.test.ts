/** StructureDefinition/$snapshot: https://hl7.org/fhir/R4/structuredefinition-operation-snapshot.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { StructureDefinition } from 'fhir/r4'
import { resourceTypes, structureNames, structureOf } from '../../src/fhir/definitions.ts'
import { typeDefinition } from '../../src/fhir/type-definition.ts'
import { validate } from '../../src/fhir/validate/validate.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

const CORE = 'http://hl7.org/fhir/StructureDefinition/'
const OWN = 'http://example.org/StructureDefinition/own'

let clinics: TwoClinics
beforeAll(async () => {
  clinics = await startTwoClinics()
})
afterAll(() => clinics.server.close())

const own = (more: object) => ({
  ...{ resourceType: 'StructureDefinition', id: 'own', url: OWN, name: 'Own', status: 'active', kind: 'resource' },
  ...{ abstract: false, type: 'Basic', baseDefinition: `${CORE}Basic`, derivation: 'constraint' },
  ...more,
})
const element = {
  id: 'Basic',
  path: 'Basic',
  min: 0,
  max: '*',
  definition: 'A note',
  base: { path: 'Basic', min: 0, max: '*' },
}
const snapshotOf = (url: string, of = clinics.ours) =>
  of('GET', `/StructureDefinition/$snapshot?url=${encodeURIComponent(url)}`)
const elementsOf = (definition: StructureDefinition | undefined) =>
  new Map((definition?.snapshot?.element ?? []).map((one) => [one.path, one]))

describe('the snapshot of a type of R4', () => {
  test('is a valid StructureDefinition, for every resource type and data type', () => {
    const types = structureNames.filter((name) => structureOf(name)?.kind !== 'backbone')
    expect(types).toEqual(expect.arrayContaining([...resourceTypes, 'HumanName', 'dateTime', 'Timing']))
    const wrong = types.flatMap((type) => validate(typeDefinition(type)).map((issue) => [type, issue.diagnostics]))
    expect(wrong).toEqual([])
  })

  test('has the elements of its bases, and those within others', async () => {
    const { status, body } = await snapshotOf(`${CORE}Patient`)
    const elements = elementsOf(body)
    expect([status, body.type, elements.has('Patient.meta'), elements.has('Patient.extension')]).toEqual([
      ...[200, 'Patient', true, true],
    ])
    expect(elements.get('Patient.contact')).toMatchObject({ min: 0, max: '*', type: [{ code: 'BackboneElement' }] })
    expect(elements.get('Patient.contact.name')).toMatchObject({ max: '1', type: [{ code: 'HumanName' }] })
    expect(elements.get('Patient.link.other')?.type).toEqual([
      { code: 'Reference', targetProfile: [`${CORE}Patient`, `${CORE}RelatedPerson`] },
    ])
  })

  test('has choices, bindings, and references to elements that are defined above', () => {
    const patient = elementsOf(typeDefinition('Patient'))
    expect(patient.get('Patient.deceased[x]')?.type).toEqual([{ code: 'boolean' }, { code: 'dateTime' }])
    const { valueSet, strength } = patient.get('Patient.gender')?.binding ?? {}
    expect([valueSet, strength]).toEqual(['http://hl7.org/fhir/ValueSet/administrative-gender', 'required'])
    const item = elementsOf(typeDefinition('Questionnaire')).get('Questionnaire.item.item')
    expect([item?.contentReference, item?.type]).toEqual(['#Questionnaire.item', undefined])
  })

  test('is also that of a data type', async () => {
    const { body } = await snapshotOf(`${CORE}HumanName|4.0.1`)
    expect([...elementsOf(body).keys()]).toEqual(expect.arrayContaining(['HumanName.family', 'HumanName.id']))
  })
})

describe('the snapshot of a stored StructureDefinition', () => {
  beforeAll(() => clinics.ours('PUT', '/StructureDefinition/own', own({ snapshot: { element: [element] } })))

  test('is given by its address and by its url', async () => {
    const byUrl = await snapshotOf(OWN)
    const byAddress = await clinics.ours('GET', '/StructureDefinition/own/$snapshot')
    expect([byUrl.status, byUrl.body.name, byAddress.body.name]).toEqual([200, 'Own', 'Own'])
  })

  test('is not seen by another clinic', async () => {
    expect((await snapshotOf(OWN, clinics.theirs)).status).toBe(404)
    expect((await clinics.theirs('GET', '/StructureDefinition/own/$snapshot')).status).toBe(404)
  })

  test('is not made of a differential', async () => {
    const { status } = await clinics.ours(
      'PUT',
      '/StructureDefinition/own',
      own({ differential: { element: [{ id: 'Basic', path: 'Basic' }] } }),
    )
    expect([status, (await snapshotOf(OWN)).status]).toEqual([200, 422])
  })
})

describe('the snapshot of a StructureDefinition that is sent', () => {
  const send = (body: object, path = '/StructureDefinition/$snapshot') => clinics.ours('POST', path, body)
  const sent = own({ id: undefined, url: `${OWN}-sent`, snapshot: { element: [element] } })
  const asParameter = (definition: object, ...more: readonly object[]) => ({
    resourceType: 'Parameters',
    parameter: [{ name: 'definition', resource: definition }, ...more],
  })

  test('is given for the body, and for a parameter', async () => {
    for (const body of [sent, asParameter(sent)]) {
      const { status, body: given } = await send(body)
      expect([status, given.url, given.snapshot]).toEqual([200, `${OWN}-sent`, { element: [element] }])
    }
  })

  test('is not stored', async () => {
    expect((await send(sent)).status).toBe(200)
    expect((await snapshotOf(`${OWN}-sent`)).status).toBe(404)
  })

  test('is not made of a differential, nor of another type of resource', async () => {
    const bare = own({ id: undefined, differential: { element: [{ id: 'Basic', path: 'Basic' }] } })
    expect((await send(bare)).status).toBe(422)
    expect((await send({ resourceType: 'Patient' })).status).toBe(400)
  })

  test('is refused beside a url or an address, as only one can be meant', async () => {
    const beside = { name: 'url', valueUri: `${CORE}Patient` }
    expect((await send(asParameter(sent, beside))).status).toBe(400)
    await clinics.ours('PUT', '/StructureDefinition/own', own({ snapshot: { element: [element] } }))
    expect((await send(sent, '/StructureDefinition/own/$snapshot')).status).toBe(400)
  })
})

test.each([
  ['/StructureDefinition/$snapshot', 400],
  [`/StructureDefinition/$snapshot?url=${CORE}Nothing`, 404],
  [`/StructureDefinition/$snapshot?url=${CORE}Patient.contact`, 404],
])('a url that names nothing is refused: %s', async (path, status) => {
  expect((await clinics.ours('GET', path)).status).toBe(status)
})
