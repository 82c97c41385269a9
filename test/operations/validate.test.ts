/** $validate: https://hl7.org/fhir/R4/resource-operation-validate.html. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { BASE, bloodPressure, brief, extensionOf, profile } from '../support/profiles.ts'
import type { FhirResponse, TestServer } from '../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
let server: TestServer
beforeAll(async () => {
  clinics = await startTwoClinics()
  server = clinics.server
  for (const definition of [named, extensionOf('note', 'string')]) {
    const { status } = await server.fhir('POST', '/StructureDefinition', definition)
    expect(status).toBe(201)
  }
})
afterAll(() => server.close())

const named = profile('named', 'Patient', [['Patient.name', { min: 1 }]])
const patient = (elements: object = {}) => ({ resourceType: 'Patient', text: narrative, ...elements })
const narrative = { status: 'generated', div: '<div xmlns="http://www.w3.org/1999/xhtml">x</div>' }
const parameters = (...parameter: readonly object[]) => ({ resourceType: 'Parameters', parameter })
const asParameter = (resource: object, ...more: readonly object[]) =>
  parameters({ name: 'resource', resource }, ...more)
const mode = (valueCode: string) => ({ name: 'mode', valueCode })
const canonical = (valueUri: string) => ({ name: 'profile', valueUri })

const ALL_OK = ['information informational ']
const said = ({ status, body }: FhirResponse) => {
  expect([status, body.resourceType]).toEqual([200, 'OperationOutcome'])
  for (const issue of body.issue) expect(issue.details.text).not.toBe('')
  return brief(body.issue)
}
const validated = async (path: string, body?: unknown) => said(await server.fhir('POST', `${path}/$validate`, body))

describe('what is checked', () => {
  test('a bare resource', async () => {
    const answer = await server.fhir('POST', '/Patient/$validate', patient())
    expect(said(answer)).toEqual(ALL_OK)
    expect(answer.body.issue[0].details.text).toContain('All OK')
  })

  test('a resource in Parameters', async () => {
    expect(await validated('/Patient', asParameter(patient()))).toEqual(ALL_OK)
  })

  test('a bare resource with the other parameters in the address', async () => {
    const bodyWeight = 'http://hl7.org/fhir/StructureDefinition/bodyweight'
    expect(await validated(`/Patient`, patient({ gender: 'male' }))).toEqual(ALL_OK)
    const answer = await server.fhir('POST', `/Patient/$validate?profile=${bodyWeight}&mode=create`, patient())
    expect(answer.body.issue[0]).toMatchObject({ severity: 'error', code: 'structure' })
    expect(answer.body.issue[0].diagnostics).toContain(bodyWeight)
    expect((await server.fhir('POST', '/Patient/$validate?mode=update', patient())).status).toBe(400)
    expect((await server.fhir('POST', '/Patient/$validate?colour=red', patient())).status).toBe(400)
  })

  test('Parameters, in Parameters', async () => {
    expect(await validated('/Parameters', asParameter(parameters({ name: 'x', valueString: 'y' })))).toEqual(ALL_OK)
  })

  test('XML', async () => {
    const body = '<Patient xmlns="http://hl7.org/fhir"><gender value="none"/></Patient>'
    const answer = await server.fhir('POST', '/Patient/$validate', body, { 'content-type': 'application/fhir+xml' })
    expect(said(answer)).toContain('error code-invalid Patient.gender')
  })

  test('what R4 asks for, all of it at once, with warnings', async () => {
    expect(
      await validated('/Patient', {
        resourceType: 'Patient',
        gender: 'none',
        colour: 'red',
        name: [{ given: ['a', 1] }],
      }),
    ).toEqual([
      'error code-invalid Patient.gender',
      'error structure Patient.colour',
      'error value Patient.name[0].given[1]',
      'warning invariant Patient',
    ])
  })

  test('what the address says', async () => {
    expect(await validated('/Patient', { ...bloodPressure(), text: narrative })).toEqual([
      'error structure resourceType',
    ])
    expect(await validated('/Patient', { resourceType: 'Alien' })).toContain('error structure resourceType')
  })

  test('the profile that it declares', async () => {
    const meta = { profile: [named.url] }
    expect(await validated('/Patient', patient({ meta }))).toEqual(['error required Patient.name'])
    expect(await validated('/Patient', patient({ meta, name: [{ family: 'x' }] }))).toEqual(ALL_OK)
  })

  test('the profile that the request names', async () => {
    expect(await validated('/Patient', asParameter(patient(), canonical(named.url)))).toEqual([
      'error required Patient.name',
    ])
    const answer = await server.fhir(
      'POST',
      '/Patient/$validate',
      asParameter(patient({ name: [{ family: 'x' }] }), canonical(named.url)),
    )
    expect(answer.body.issue[0].details.text).toContain(named.url)
  })

  test('a profile of R4 itself', async () => {
    const { category: _category, ...resource } = bloodPressure()
    expect(
      await validated(
        '/Observation',
        asParameter({ ...resource, text: narrative }, canonical('http://hl7.org/fhir/StructureDefinition/bp')),
      ),
    ).toContain('error required Observation.category')
  })

  test('the extensible bindings of R4: a code beside the value set is a warning, a text instead of a code is not', async () => {
    const interpretations = 'http://terminology.hl7.org/CodeSystem/v3-ObservationInterpretation'
    const observation = (...interpretation: readonly object[]) => ({
      resourceType: 'Observation',
      text: narrative,
      status: 'final',
      code: { text: 'weight' },
      identifier: [
        { type: { coding: [{ system: 'http://terminology.hl7.org/CodeSystem/v2-0203', code: 'MR' }] }, value: '1' },
      ],
      interpretation,
    })
    const coded = (code: string, system = interpretations) => ({ coding: [{ system, code }] })
    expect(await validated('/Observation', observation(coded('H'), { text: 'high' }))).toEqual(ALL_OK)
    const answer = await server.fhir('POST', '/Observation/$validate', observation(coded('H'), coded('ZZZ')))
    expect(said(answer)).toEqual([...ALL_OK, 'warning code-invalid Observation.interpretation[1]'])
    expect(answer.body.issue[1].diagnostics).toBe(
      `Observation.interpretation[1] has ${interpretations}|ZZZ; it should be a code of http://hl7.org/fhir/ValueSet/observation-interpretation, unless none of these fits`,
    )
    const own = { ...coded('high', 'http://lab.example'), text: 'high' }
    expect(await validated('/Observation', observation(own))).toEqual([
      ...ALL_OK,
      'warning code-invalid Observation.interpretation[0]',
    ])
  })

  test('an extension, by its definition', async () => {
    const extension = [{ url: `${BASE}/note`, valueInteger: 1 }]
    expect(await validated('/Patient', patient({ extension }))).toEqual(['error structure Patient.extension[0].value'])
  })

  test('a profile that is not known: a warning where it is declared, an error where it is asked for', async () => {
    const meta = { profile: ['http://no/where'] }
    const answer = await server.fhir('POST', '/Patient/$validate', patient({ meta }))
    expect(said(answer)).toEqual([...ALL_OK, 'warning not-found Patient.meta.profile[0]'])
    expect(answer.body.issue[1].details.text).toContain('http://no/where')
    expect(await validated('/Patient', asParameter(patient(), canonical('http://no/where')))).toEqual([
      'error not-found Patient',
    ])
  })

  test('what the server ships: its own profiles', async () => {
    const url = 'https://sandbox-emr.example/fhir/StructureDefinition/health-plan-name'
    expect(await validated('/Patient', patient({ extension: [{ url, valueInteger: 1 }] }))).toEqual([
      'error structure Patient.extension[0].value',
    ])
  })
})

describe('what no write is refused for', () => {
  const uuid = 'urn:uuid:53fefa32-fcbb-4ff8-8a92-55ee120877b7'
  const observation = { resourceType: 'Observation', text: narrative, status: 'final', code: { text: 'x' } }
  const bundle = {
    resourceType: 'Bundle',
    type: 'collection',
    entry: [
      { fullUrl: 'http://example.org/fhir/Patient/1', resource: patient({ id: '2' }) },
      { fullUrl: 'http://example.org/fhir/Observation/1', resource: { ...observation, subject: { reference: uuid } } },
    ],
  }

  test('the rules for the entries of a Bundle', async () => {
    expect(await validated('/Bundle', bundle)).toEqual([
      'error value Bundle.entry[0].fullUrl',
      'error not-found Bundle.entry[1].resource.subject.reference',
    ])
    expect((await server.fhir('POST', '/Bundle', bundle)).status).toBe(201)
  })

  test('what R4 has as constraints of a Bundle is an error everywhere', async () => {
    const twice = { ...bundle, entry: [1, 2].map(() => ({ fullUrl: uuid, resource: patient() })) }
    const headless = { resourceType: 'Bundle', type: 'message', entry: [{ fullUrl: uuid, resource: patient() }] }
    for (const [broken, key] of [
      [twice, 'bdl-7'],
      [headless, 'bdl-12'],
    ] as const) {
      expect((await server.fhir('POST', '/Bundle/$validate', broken)).text).toContain(`breaks ${key}`)
      expect((await server.fhir('POST', '/Bundle', broken)).status).toBe(422)
    }
  })

  test('tags of HTML, an unknown extension, a period of mixed precision', async () => {
    const extension = [{ url: 'http://no/where', valueString: 'x' }]
    const period = { start: '2020-01', end: '2020-01-15' }
    const resource = patient({ extension, name: [{ text: '<b>x</b>', period }] })
    expect(await validated('/Patient', resource)).toEqual([
      ...ALL_OK,
      'information informational Patient.extension[0]',
      'warning security Patient.name[0].text',
      'warning value Patient.name[0].period',
    ])
    expect((await server.fhir('POST', '/Patient', resource)).status).toBe(201)
  })

  test('a display that is wrong in a code system that this clinic has, and no other', async () => {
    const url = 'http://example.org/validate-colours'
    const concept = [{ code: 'r', display: 'Red' }]
    const colours = { resourceType: 'CodeSystem', url, status: 'active', content: 'complete', concept }
    expect((await clinics.ours('POST', '/CodeSystem', colours)).status).toBe(201)
    const coded = { ...observation, code: { coding: [{ system: url, code: 'r', display: 'Green' }] } }
    const ours = await clinics.ours('POST', '/Observation/$validate', coded)
    expect(said(ours)).toEqual([...ALL_OK, 'warning code-invalid Observation.code.coding[0]'])
    expect(said(await clinics.theirs('POST', '/Observation/$validate', coded))).toEqual(ALL_OK)
  })
})

describe('on an instance', () => {
  const id = 'validate-instance'
  beforeAll(() => server.fhir('PUT', `/Patient/${id}`, { ...patient(), id }))

  test('what is stored, by GET or POST without a body', async () => {
    expect(said(await server.fhir('GET', `/Patient/${id}/$validate`))).toEqual(ALL_OK)
    expect(said(await server.fhir('GET', `/Patient/${id}/$validate?profile=${encodeURIComponent(named.url)}`))).toEqual(
      ['error required Patient.name'],
    )
    expect(await validated(`/Patient/${id}`)).toEqual(ALL_OK)
  })

  test('what is sent, with the id of the address', async () => {
    expect(await validated(`/Patient/${id}`, patient({ id, gender: 'none' }))).toEqual([
      'error code-invalid Patient.gender',
    ])
    expect(await validated(`/Patient/${id}`, patient({ id: 'other' }))).toEqual(['error value Patient.id'])
  })

  test('404 and 410 where there is nothing', async () => {
    expect((await server.fhir('GET', '/Patient/nobody/$validate')).status).toBe(404)
    await server.fhir('PUT', '/Patient/validate-gone', patient({ id: 'validate-gone' }))
    await server.fhir('DELETE', '/Patient/validate-gone')
    expect((await server.fhir('GET', '/Patient/validate-gone/$validate')).status).toBe(410)
  })
})

describe('mode', () => {
  const appointment = {
    resourceType: 'Appointment',
    text: narrative,
    status: 'booked',
    slot: [{ reference: 'Slot/nowhere' }],
    start: '2030-01-01T10:00:00Z',
    end: '2030-01-01T10:30:00Z',
    participant: [{ status: 'accepted', actor: { reference: 'Patient/abernathy-ruth' } }],
  }

  test('create asks the rules of a create too, and nothing is created', async () => {
    const before = (await server.fhir('GET', '/Appointment?_summary=count')).body.total
    expect(await validated('/Appointment', asParameter(appointment))).toEqual(ALL_OK)
    expect((await validated('/Appointment', asParameter(appointment, mode('create')))).join()).toContain('error')
    expect(await validated('/Patient', asParameter(patient(), mode('create')))).toEqual(ALL_OK)
    expect((await server.fhir('GET', '/Appointment?_summary=count')).body.total).toBe(before)
  })

  test('update asks the rules of an update, and nothing is changed', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient())
    expect(await validated(`/Patient/${body.id}`, asParameter(patient({ id: body.id }), mode('update')))).toEqual(
      ALL_OK,
    )
    const shipped = (await server.fhir('GET', '/StructureDefinition/health-plan-name')).body
    expect(
      await validated(
        '/StructureDefinition/health-plan-name',
        asParameter({ ...shipped, text: narrative }, mode('update')),
      ),
    ).toEqual(['error business-rule StructureDefinition.id'])
    expect((await server.fhir('GET', `/Patient/${body.id}`)).body.meta.versionId).toBe('1')
  })

  test('delete asks whether it can be deleted, and nothing is deleted', async () => {
    const { body } = await server.fhir('POST', '/Patient', patient())
    expect(await validated(`/Patient/${body.id}`, parameters(mode('delete')))).toEqual(ALL_OK)
    expect(said(await server.fhir('GET', `/Patient/${body.id}/$validate?mode=delete`))).toEqual(ALL_OK)
    expect((await server.fhir('GET', `/Patient/${body.id}`)).status).toBe(200)
    expect(await validated('/Patient/nobody', parameters(mode('delete')))).toEqual(['error not-found '])
    expect(await validated('/StructureDefinition/health-plan-name', parameters(mode('delete')))).toEqual([
      'error business-rule StructureDefinition.id',
    ])
  })

  test('profile needs a profile', async () => {
    expect(await validated('/Patient', asParameter(patient(), mode('profile'), canonical(named.url)))).toEqual([
      'error required Patient.name',
    ])
    expect((await server.fhir('POST', '/Patient/$validate', asParameter(patient(), mode('profile')))).status).toBe(400)
  })
})

describe('400 for', () => {
  test.each<[what: string, path: string, body: unknown, said: string]>([
    ['no body on a type', '/Patient', undefined, 'resource is missing'],
    [
      'Parameters without a resource',
      '/Patient',
      parameters({ name: 'mode', valueCode: 'create' }),
      'resource is missing',
    ],
    ['a mode that there is not', '/Patient', asParameter(patient(), mode('read')), "mode is 'read'"],
    ['create on an instance', '/Patient/1', asParameter(patient(), mode('create')), 'mode is create'],
    ['update on a type', '/Patient', asParameter(patient(), mode('update')), 'mode is update'],
    ['delete on a type', '/Patient', parameters(mode('delete')), 'mode is delete'],
    [
      'a parameter that there is not',
      '/Patient',
      asParameter(patient(), { name: 'colour', valueString: 'red' }),
      'colour is not known',
    ],
    [
      'a resource given twice',
      '/Patient',
      asParameter(patient(), { name: 'resource', resource: patient() }),
      'resource is given 2 times',
    ],
    [
      'a profile that is no address',
      '/Patient',
      asParameter(patient(), { name: 'profile', valueUri: 'a b' }),
      'profile must be',
    ],
    ['a parameter without a name', '/Patient', parameters({ resource: patient() }), 'must have a name'],
    [
      'a parameter without a value',
      '/Patient',
      parameters({ name: 'resource' }),
      'exactly one of value[x], resource and part',
    ],
    ['a resource that is a text', '/Patient', parameters({ name: 'resource', valueString: 'x' }), 'resource must be'],
    ['a body that is no resource', '/Patient', { name: 'x' }, 'Parameters resource'],
    ['a body that is no JSON', '/Patient', '{', 'not JSON'],
  ])('%s', async (_what, path, body, message) => {
    const answer = await server.fhir('POST', `${path}/$validate`, body)
    expect([answer.status, answer.body.resourceType]).toEqual([400, 'OperationOutcome'])
    expect(answer.body.issue.map(({ diagnostics }: { diagnostics: string }) => diagnostics).join()).toContain(message)
  })
})

test('it is part of a batch and of a transaction, as it changes nothing', async () => {
  for (const type of ['batch', 'transaction']) {
    const entry = [{ resource: patient({ gender: 'none' }), request: { method: 'POST', url: 'Patient/$validate' } }]
    const { body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type, entry })
    expect(brief(body.entry[0].resource.issue)).toEqual(['error code-invalid Patient.gender'])
  }
})

test('every type declares it', async () => {
  const { rest } = (await server.fhir('GET', '/metadata')).body
  const lacking = rest[0].resource.filter(
    ({ operation = [] }: { operation: { name: string }[] }) => !operation.some(({ name }) => name === 'validate'),
  )
  expect(lacking).toEqual([])
})

describe('another clinic', () => {
  test('knows nothing of our profiles, extensions and value sets', async () => {
    const bound = profile('bound', 'Patient', [
      ['Patient.maritalStatus', { min: 1, binding: { strength: 'required', valueSet: 'http://example.org/ours' } }],
    ])
    const valueSet = {
      resourceType: 'ValueSet',
      url: 'http://example.org/ours',
      status: 'active',
      compose: { include: [{ system: 'http://a', concept: [{ code: 'b' }] }] },
    }
    const resource = patient({
      meta: { profile: [bound.url, named.url] },
      extension: [{ url: `${BASE}/note`, valueInteger: 1 }],
      maritalStatus: { coding: [{ system: 'http://a', code: 'c' }] },
    })
    await clinics.ours('POST', '/StructureDefinition', bound)
    await clinics.ours('POST', '/ValueSet', valueSet)
    const ours = said(await clinics.ours('POST', '/Patient/$validate', resource))
    expect(ours).toEqual([
      'error code-invalid Patient.maritalStatus',
      'error required Patient.name',
      'error structure Patient.extension[0].value',
      'warning code-invalid Patient.maritalStatus',
    ])
    const theirs = said(await clinics.theirs('POST', '/Patient/$validate', resource))
    expect(theirs).toEqual([
      ...ALL_OK,
      'warning not-found Patient.meta.profile[0]',
      'warning not-found Patient.meta.profile[1]',
      'information informational Patient.extension[0]',
      'warning code-invalid Patient.maritalStatus',
    ])
    // The same profile of theirs, bound to a value set that only we have.
    await clinics.theirs('POST', '/StructureDefinition', bound)
    expect(said(await clinics.theirs('POST', '/Patient/$validate', resource))).toContain(
      'warning not-found Patient.maritalStatus',
    )
  })

  test('has a profile of the same url of its own', async () => {
    const own = profile('same', 'Patient', [['Patient.name', { min: 1 }]])
    await clinics.ours('PUT', '/StructureDefinition/same', own)
    await clinics.theirs('PUT', '/StructureDefinition/same', {
      ...own,
      differential: { element: [{ id: 'Patient.gender', path: 'Patient.gender', min: 1 }] },
    })
    const resource = patient({ meta: { profile: [own.url] } })
    expect(said(await clinics.ours('POST', '/Patient/$validate', resource))).toEqual(['error required Patient.name'])
    expect(said(await clinics.theirs('POST', '/Patient/$validate', resource))).toEqual([
      'error required Patient.gender',
    ])
  })
})
