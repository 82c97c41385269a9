/** meta.profile on a write, enforced as the clinic has it: off, warn or reject. */
import { afterAll, afterEach, beforeAll, describe, expect, test } from '@jest/globals'
import type { ProfilePolicy } from '../../src/clinics/settings.ts'
import { BASE, brief, extensionOf, profile } from '../support/profiles.ts'
import { type FhirResponse, startServer, type TestServer } from '../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

let clinics: TwoClinics
let server: TestServer
beforeAll(async () => {
  clinics = await startTwoClinics()
  server = clinics.server
  for (const write of [clinics.ours, clinics.theirs]) {
    expect((await write('PUT', '/StructureDefinition/named', named)).status).toBe(201)
  }
})
afterAll(() => server.close())
afterEach(() => setPolicy(undefined))

const named = profile('named', 'Patient', [
  ['Patient.name', { min: 1 }],
  [
    'Patient.name.given',
    { constraint: [{ key: 'own-1', severity: 'warning', human: 'Short', expression: 'length() < 3' }] },
  ],
])
const declaring = (elements: object = {}, ...profiles: string[]) => ({
  resourceType: 'Patient',
  meta: { profile: profiles.length > 0 ? profiles : [named.url] },
  ...elements,
})
const NAMED = { name: [{ family: 'x' }] }

async function setPolicy(profiles: ProfilePolicy | undefined): Promise<void> {
  const path = '/clinics/demo-clinic/settings'
  const { policies, ...settings } = (await server.fhir('GET', path)).body
  const { profiles: _before, ...others } = policies
  const body = { ...settings, policies: { ...others, ...(profiles === undefined ? {} : { profiles }) } }
  const { status } = await server.fhir('PUT', path, body)
  expect(status).toBe(200)
}

const OUTCOME = { prefer: 'return=OperationOutcome' }
const post = (resource: object, headers?: Record<string, string>) => server.fhir('POST', '/Patient', resource, headers)
const said = ({ body }: FhirResponse) => brief(body.issue)
const BROKEN = 'required Patient.name'

describe('off', () => {
  test('nothing is said and nothing refused', async () => {
    await setPolicy('off')
    const answer = await post(declaring(), OUTCOME)
    expect([answer.status, said(answer)]).toEqual([201, ['information informational ']])
  })
})

describe('warn', () => {
  test('is the default: what is broken is stored, and said to who asks for it', async () => {
    const answer = await post(declaring(), OUTCOME)
    expect([answer.status, said(answer)]).toEqual([201, ['information informational ', `warning ${BROKEN}`]])
    expect((await post(declaring())).body.resourceType).toBe('Patient')
  })

  test('a profile that is not known is named', async () => {
    const answer = await post(declaring({}, 'http://no/where'), OUTCOME)
    expect(said(answer)).toContain('warning not-found Patient.meta.profile[0]')
    expect(answer.text).toContain('http://no/where')
  })

  test('an update and a patch too, and the entries of a Bundle', async () => {
    const { id } = (await post(declaring(NAMED))).body
    const updated = await server.fhir('PUT', `/Patient/${id}`, { ...declaring(), id }, OUTCOME)
    expect([updated.status, said(updated)[1]]).toEqual([200, `warning ${BROKEN}`])
    const patched = await server.fhir('PATCH', `/Patient/${id}`, [{ op: 'add', path: '/active', value: true }], OUTCOME)
    expect([patched.status, said(patched)[1]]).toEqual([200, `warning ${BROKEN}`])
    for (const type of ['batch', 'transaction']) {
      const entry = [{ resource: declaring(), request: { method: 'POST', url: 'Patient' } }]
      const { body } = await server.fhir('POST', '/', { resourceType: 'Bundle', type, entry }, OUTCOME)
      expect(brief(body.entry[0].response.outcome.issue)[1]).toBe(`warning ${BROKEN}`)
    }
  })

  test('what keeps to its profile is stored without a word', async () => {
    expect(said(await post(declaring(NAMED), OUTCOME))).toEqual(['information informational '])
  })
})

describe('reject', () => {
  const count = async () => (await server.fhir('GET', '/Patient?_summary=count')).body.total

  test('what breaks its profile is refused with all that is wrong, and nothing is stored', async () => {
    await setPolicy('reject')
    const before = await count()
    const answer = await post(declaring())
    expect([answer.status, answer.body.resourceType, said(answer)]).toEqual([
      422,
      'OperationOutcome',
      [`error ${BROKEN}`],
    ])
    expect(answer.body.issue[0].details.text).toContain(named.url)
    const unknown = await post(declaring(NAMED, 'http://no/where'))
    expect([unknown.status, said(unknown)]).toEqual([422, ['error not-found Patient.meta.profile[0]']])
    expect(await count()).toBe(before)
  })

  test('a warning refuses nothing, and is said to who asks', async () => {
    await setPolicy('reject')
    const answer = await post(declaring({ name: [{ given: ['Alexandra'] }] }), OUTCOME)
    expect([answer.status, said(answer)[1]]).toEqual([201, 'warning invariant Patient.name[0].given[0]'])
  })

  test('every way to write: update, patch, $meta-add, batch, transaction', async () => {
    await setPolicy('reject')
    const { id } = (await post(declaring(NAMED))).body
    const { id: plain } = (await post({ resourceType: 'Patient' })).body
    const meta = { resourceType: 'Parameters', parameter: [{ name: 'meta', valueMeta: { profile: [named.url] } }] }
    const bundle = (type: string) => ({
      resourceType: 'Bundle',
      type,
      entry: [
        { resource: { resourceType: 'Patient', active: true }, request: { method: 'POST', url: 'Patient' } },
        { resource: declaring(), request: { method: 'POST', url: 'Patient' } },
      ],
    })
    const before = await count()
    expect((await server.fhir('PUT', `/Patient/${id}`, { ...declaring(), id })).status).toBe(422)
    expect((await server.fhir('PUT', '/Patient/brand-new', { ...declaring(), id: 'brand-new' })).status).toBe(422)
    expect((await server.fhir('PATCH', `/Patient/${id}`, [{ op: 'remove', path: '/name' }])).status).toBe(422)
    expect((await server.fhir('POST', `/Patient/${plain}/$meta-add`, meta)).status).toBe(422)
    expect((await server.fhir('POST', '/', bundle('transaction'))).status).toBe(422)
    expect(await count()).toBe(before)
    const { body } = await server.fhir('POST', '/', bundle('batch'))
    expect(body.entry.map(({ response }: { response: { status: string } }) => response.status.slice(0, 3))).toEqual([
      '201',
      '422',
    ])
    expect((await server.fhir('GET', `/Patient/${id}`)).body.meta.versionId).toBe('1')
  })

  test('a resource in another one declares for itself', async () => {
    await setPolicy('reject')
    const contained = [{ ...declaring(), id: 'p' }]
    const inner = {
      resourceType: 'Observation',
      status: 'final',
      code: { text: 'x' },
      contained,
      subject: { reference: '#p' },
    }
    const bundle = { resourceType: 'Bundle', type: 'collection', entry: [{ resource: declaring() }] }
    expect(said(await server.fhir('POST', '/Observation', inner))).toEqual([
      'error required Observation.contained[0].name',
    ])
    expect(said(await server.fhir('POST', '/Bundle', bundle))).toEqual(['error required Bundle.entry[0].resource.name'])
  })

  test('a resource that declares nothing is not asked', async () => {
    await setPolicy('reject')
    const extension = [{ url: 'http://no/where', valueString: 'x' }]
    expect((await post({ resourceType: 'Patient', modifierExtension: extension })).status).toBe(201)
  })

  test('what holds for us does not hold for another clinic', async () => {
    await setPolicy('reject')
    expect((await clinics.ours('POST', '/Patient', declaring())).status).toBe(422)
    expect((await clinics.theirs('POST', '/Patient', declaring())).status).toBe(201)
  })

  test('a profile that is changed holds as it is now', async () => {
    const moving = profile('moving', 'Patient', [])
    await setPolicy('reject')
    await server.fhir('PUT', '/StructureDefinition/moving', moving)
    const resource = declaring({}, moving.url)
    expect((await post(resource)).status).toBe(201)
    const stricter = profile('moving', 'Patient', [['Patient.gender', { min: 1 }]])
    await server.fhir('PUT', '/StructureDefinition/moving', stricter)
    expect((await post(resource)).status).toBe(422)
    await server.fhir('DELETE', '/StructureDefinition/moving')
    expect(said(await post(resource))).toEqual(['error not-found Patient.meta.profile[0]'])
  })

  test('a conflict is told before what the profile has to say', async () => {
    const { id } = (await post(declaring(NAMED))).body
    await setPolicy('reject')
    const answer = await server.fhir('PUT', `/Patient/${id}`, { ...declaring(), id }, { 'if-match': 'W/"7"' })
    expect(answer.status).toBe(412)
  })
})

test('a policy that there is not is refused by the settings', async () => {
  const path = '/clinics/demo-clinic/settings'
  const settings = (await server.fhir('GET', path)).body
  const answer = await server.fhir('PUT', path, { ...settings, policies: { ...settings.policies, profiles: 'maybe' } })
  expect(answer.status).toBe(422)
  expect(answer.text).toContain('policies.profiles must be one of off, warn, reject')
})

test('the server has a policy for clinics that have none (PROFILE_POLICY)', async () => {
  const strict = await startServer({ PROFILE_POLICY: 'reject' })
  try {
    const answer = await strict.fhir('POST', '/Patient', declaring({}, `${BASE}/nobody`))
    expect(answer.status).toBe(422)
  } finally {
    await strict.close()
  }
})

describe('a resource with more than 300 distinct extensions', () => {
  const extension = Array.from({ length: 420 }, (_, index) => ({ url: `http://no/where/${index}`, valueString: 'x' }))
  const note = { url: `${BASE}/note`, valueInteger: 1 }
  beforeAll(() => server.fhir('PUT', '/StructureDefinition/note', extensionOf('note', 'string')))

  test('is held to its profiles, and to the definitions of all its extensions', async () => {
    await setPolicy('reject')
    const broken = await post(declaring({ extension: [...extension, note] }))
    expect(broken.status).toBe(422)
    expect(said(broken).filter((one) => one.startsWith('error'))).toEqual([
      `error ${BROKEN}`,
      'error structure Patient.extension[420].value',
    ])
    expect(broken.text).not.toContain('is http://example.org/StructureDefinition/named, a profile that is neither')
    expect((await post(declaring({ ...NAMED, extension }))).status).toBe(201)
  })

  test('is told so by $validate, with a note for the first of those that are not known', async () => {
    const { status, body } = await server.fhir('POST', '/Patient/$validate', declaring({ extension }))
    expect(status).toBe(200)
    expect(brief(body.issue)).toContain(`error ${BROKEN}`)
    expect(body.issue.at(-1).diagnostics).toBe('321 more warnings and notes are not listed')
  })
})
