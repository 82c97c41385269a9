/** Search in compartments: https://hl7.org/fhir/R4/http.html#vsearch. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { compartmentMembers, compartmentTypes } from '../../../src/fhir/compartments.ts'
import { startServer, type TestServer } from '../../support/server.ts'
import { startTwoClinics, type TwoClinics } from '../../support/two-clinics.ts'

let server: TestServer
const CODE = 'http://example.org/compartment'
/** The resources of the tests, by the ids that end in their number: `1` is this patient, `2` another one. */
const run = randomUUID().slice(0, 8)
const id = (name: string) => `${run}-${name}`
const to = (type: string, name: string) => ({ reference: `${type}/${id(name)}` })
const observation = (name: string, more: object) => ({
  resourceType: 'Observation',
  id: id(name),
  status: 'final',
  code: { coding: [{ system: CODE, code: name }] },
  ...more,
})

const RESOURCES: readonly { readonly resourceType: string; readonly id: string }[] = [
  { resourceType: 'Patient', id: id('1') },
  { resourceType: 'Patient', id: id('2') },
  { resourceType: 'Practitioner', id: id('doctor') },
  { resourceType: 'Device', id: id('device') },
  { resourceType: 'RelatedPerson', id: id('mother'), ...{ patient: to('Patient', '1') } },
  {
    resourceType: 'Encounter',
    id: id('visit'),
    ...{ status: 'finished', class: { code: 'AMB' }, subject: to('Patient', '1') },
  },
  observation('pulse', { subject: to('Patient', '1'), encounter: to('Encounter', 'visit'), valueString: 'a' }),
  observation('weight', { subject: to('Patient', '1'), performer: [to('Practitioner', 'doctor')], valueString: 'a' }),
  observation('told', { subject: to('Patient', '2'), performer: [to('Patient', '1')], valueString: 'a' }),
  observation('other', { subject: to('Patient', '2'), device: to('Device', 'device'), valueString: 'a' }),
  observation('heard', { subject: to('Patient', '2'), performer: [to('RelatedPerson', 'mother')], valueString: 'a' }),
  // The author of a Flag does not make it a member of the compartment; that of a Composition does.
  {
    resourceType: 'Flag',
    id: id('flag'),
    ...{ status: 'active', code: { text: 'x' }, subject: to('Patient', '2'), author: to('Patient', '1') },
  },
]

beforeAll(async () => {
  server = await startServer()
  const entry = RESOURCES.map((resource) => ({
    resource,
    request: { method: 'PUT', url: `${resource.resourceType}/${resource.id}` },
  }))
  const { status } = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'transaction', entry })
  expect(status).toBe(200)
})
afterAll(() => server.close())

const FORM = { 'content-type': 'application/x-www-form-urlencoded' }
const names = (body: { entry?: readonly { resource: { id: string } }[] }) =>
  (body.entry ?? []).map(({ resource }) => resource.id.replace(`${run}-`, '')).sort()
async function found(path: string): Promise<readonly string[]> {
  const { status, body } = await server.fhir('GET', path)
  expect([status, body.resourceType, body.type]).toEqual([200, 'Bundle', 'searchset'])
  return names(body)
}

describe('GET [compartment]/[id]/[type]', () => {
  test.each<[path: string, expected: string]>([
    [`/Patient/${id('1')}/Observation`, 'pulse told weight'],
    [`/Patient/${id('2')}/Observation`, 'heard other told'],
    [`/Patient/${id('1')}/Encounter`, 'visit'],
    [`/Patient/${id('1')}/Flag`, ''],
    [`/Practitioner/${id('doctor')}/Observation`, 'weight'],
    [`/Practitioner/${id('doctor')}/Practitioner`, 'doctor'],
    [`/Encounter/${id('visit')}/Observation`, 'pulse'],
    [`/Encounter/${id('visit')}/Encounter`, 'visit'],
    [`/Device/${id('device')}/Observation`, 'other'],
    [`/RelatedPerson/${id('mother')}/Observation`, 'heard'],
    ['/Patient/nobody/Observation', ''],
  ])('%s finds what the compartment has', async (path, expected) => {
    expect((await found(path)).join(' ')).toBe(expected)
  })

  test.each<[query: string, expected: string]>([
    [`code=${CODE}|pulse`, 'pulse'],
    [`code=${CODE}|other`, ''],
    [`code=${CODE}|pulse,${CODE}|told,${CODE}|other`, 'pulse told'],
    ['performer:missing=true', 'pulse'],
    ['encounter.status=finished', 'pulse'],
    [`subject=Patient/${id('2')}`, 'told'],
  ])('takes the parameters of the type: %s', async (query, expected) => {
    expect((await found(`/Patient/${id('1')}/Observation?${query}`)).join(' ')).toBe(expected)
  })

  test('takes result parameters, and its links lead through the pages of the compartment', async () => {
    const first = (await server.fhir('GET', `/Patient/${id('1')}/Observation?_sort=code&_count=2&_total=accurate`)).body
    expect([names(first), first.total]).toEqual([['pulse', 'told'], 3])
    const [self, next] = first.link
    expect(self.url).toBe(`${server.url}/Patient/${id('1')}/Observation?_sort=code&_count=2&_total=accurate`)
    expect(next.relation).toBe('next')
    const second = (await server.fhir('GET', next.url.slice(server.url.length))).body
    expect(names(second)).toEqual(['weight'])
    expect(second.link).toHaveLength(1)
  })

  test('a page of one compartment is none of another', async () => {
    const { body } = await server.fhir('GET', `/Patient/${id('1')}/Observation?_count=1`)
    const next: string = body.link[1].url.slice(server.url.length)
    expect((await server.fhir('GET', next.replace(id('1'), id('2')))).status).toBe(400)
  })

  test('takes includes', async () => {
    const { body } = await server.fhir('GET', `/Encounter/${id('visit')}/Observation?_include=Observation:subject`)
    expect(body.entry.map(({ search }: { search: { mode: string } }) => search.mode)).toEqual(['match', 'include'])
  })

  test.each<[method: string, path: string]>([
    ['POST', `/Patient/${id('1')}/Observation/_search`],
    ['POST', `/Patient/${id('1')}/*/_search?_type=Observation`],
    ['POST', `/Patient/${id('1')}/_search?_type=Observation`],
  ])('%s %s takes parameters as a form', async (method, path) => {
    const { status, body } = await server.fhir(method, path, `_id=${id('pulse')},${id('other')}`, FORM)
    expect([status, names(body)]).toEqual([200, ['pulse']])
  })

  test('may stand in a Bundle', async () => {
    const { body } = await server.fhir('POST', '/', {
      resourceType: 'Bundle',
      type: 'transaction',
      entry: [{ request: { method: 'GET', url: `Encounter/${id('visit')}/Observation?code=${CODE}|pulse` } }],
    })
    expect(names(body.entry[0].resource)).toEqual(['pulse'])
  })
})

describe('GET [compartment]/[id]/*', () => {
  test('finds every type, each by the parameters that make it a member', async () => {
    expect(await found(`/Patient/${id('1')}/*`)).toEqual(['mother', 'pulse', 'told', 'visit', 'weight'])
    expect(await found(`/Patient/${id('1')}/%2A`)).toHaveLength(5)
  })

  test('takes the parameters that all types share, and _type for fewer types', async () => {
    expect(await found(`/Patient/${id('1')}/*?_type=Encounter,RelatedPerson`)).toEqual(['mother', 'visit'])
    expect(await found(`/Patient/${id('1')}/*?_id=${id('visit')},${id('other')}`)).toEqual(['visit'])
    expect(await found(`/Patient/${id('1')}/*?_type=Observation&code=${CODE}|told`)).toEqual(['told'])
  })

  test('pages do not repeat or lose a member', async () => {
    const seen: string[] = []
    let path: string | undefined = `/Patient/${id('1')}/*?_count=2&_sort=-_lastUpdated`
    while (path !== undefined) {
      const { body }: { body: { entry: { resource: { id: string } }[]; link: { relation: string; url: string }[] } } =
        await server.fhir('GET', path)
      seen.push(...names(body))
      path = body.link.find(({ relation }) => relation === 'next')?.url.slice(server.url.length)
    }
    expect(seen.sort()).toEqual(['mother', 'pulse', 'told', 'visit', 'weight'])
  })
})

describe('refuses', () => {
  test.each<[path: string, status: number, says: string]>([
    [`/Patient/${id('1')}/Practitioner`, 404, 'Practitioner is not in the compartment of a Patient'],
    [`/Patient/${id('1')}/Observations`, 404, "There is no resource type 'Observations'"],
    [`/Observation/${id('pulse')}/Patient`, 404, 'Observation has no compartment'],
    [`/Patient/${id('1')}/Observation?colour=red`, 400, "There is no search parameter 'colour'"],
    [`/Patient/${id('1')}/*?code=x`, 400, "'code'"],
    [`/Patient/${id('1')}/*?_type=Practitioner`, 400, 'Practitioner cannot be searched here'],
    [`/Patient/${id('1')}/Observation?_cursor=x`, 400, 'cursor'],
  ])('%s with %i', async (path, status, says) => {
    const answer = await server.fhir('GET', path)
    expect([answer.status, answer.body.resourceType]).toEqual([status, 'OperationOutcome'])
    expect(answer.body.issue[0].diagnostics).toContain(says)
  })

  test('other methods with 405', async () => {
    const answer = await server.fhir('DELETE', `/Patient/${id('1')}/Observation`)
    expect([answer.status, answer.headers.get('allow')]).toEqual([405, 'GET'])
  })
})

describe('/metadata', () => {
  test('declares the five compartments, and each type of each is searched', async () => {
    const { body } = await server.fhir('GET', '/metadata')
    expect(body.rest[0].compartment).toEqual(
      ['device', 'encounter', 'patient', 'practitioner', 'relatedPerson'].map(
        (name) => `http://hl7.org/fhir/CompartmentDefinition/${name}`,
      ),
    )
    const urls = compartmentTypes.flatMap((type) =>
      [...(compartmentMembers(type)?.keys() ?? [])].map((member) => `${type}/${id('1')}/${member}?_count=0`),
    )
    const entry = urls.map((url) => ({ request: { method: 'GET', url } }))
    const answer = await server.fhir('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
    const refused = urls.filter((_url, index) => answer.body.entry[index].response.status !== '200 OK')
    expect(refused).toEqual([])
  })

  test('a type whose search is switched off is searched in no compartment, with all of them off there is none', async () => {
    const off = await startServer({ DISABLED_INTERACTIONS: 'Observation.search-type' })
    const none = await startServer({ DISABLED_INTERACTIONS: '*.search-type' })
    try {
      expect((await off.fhir('GET', '/Patient/1/Observation')).status).toBe(405)
      expect((await off.fhir('GET', '/Patient/1/*?_type=Observation')).status).toBe(400)
      expect((await off.fhir('GET', '/Patient/1/*')).status).toBe(200)
      expect((await none.fhir('GET', '/metadata')).body.rest[0].compartment).toBeUndefined()
      expect((await none.fhir('GET', '/Patient/1/*')).status).toBe(405)
    } finally {
      await off.close()
      await none.close()
    }
  })
})

describe('another clinic', () => {
  let clinics: TwoClinics
  beforeAll(async () => {
    clinics = await startTwoClinics()
  })
  afterAll(() => clinics.server.close())

  test('has other compartments, also around resources of the same id', async () => {
    const patient = randomUUID()
    const { body: ours } = await clinics.ours('POST', '/Observation', {
      ...observation('pulse', {}),
      subject: { reference: `Patient/${patient}` },
    })
    for (const path of [`/Patient/${patient}/Observation`, `/Patient/${patient}/*`]) {
      expect(names((await clinics.ours('GET', path)).body)).toEqual([ours.id])
      expect(names((await clinics.theirs('GET', path)).body)).toEqual([])
    }
    const { body: theirs } = await clinics.theirs('POST', '/Observation', {
      ...observation('pulse', {}),
      subject: { reference: `Patient/${patient}` },
    })
    expect(names((await clinics.theirs('GET', `/Patient/${patient}/*`)).body)).toEqual([theirs.id])
  })
})
