/** Two clinics on one server: nothing that one does is seen, found, referred to or changed by the other. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import jsonwebtoken from 'jsonwebtoken'
import { type FhirResponse, request, startServer } from '../support/server.ts'
import { rsaKey, startIssuer } from '../support/token-issuer.ts'
import { OTHER_CLINIC, startTwoClinics, type TwoClinics } from '../support/two-clinics.ts'

const SYSTEM = 'http://example.org/tenancy'
const patient = (more: object = {}) => ({
  resourceType: 'Patient',
  name: [{ family: 'Tenant', given: ['Tess'] }],
  birthDate: '1970-07-07',
  identifier: [{ system: SYSTEM, value: 'both' }],
  ...more,
})
const observation = (subject: string, more: object = {}) => ({
  resourceType: 'Observation',
  status: 'final',
  code: { coding: [{ system: SYSTEM, code: 'seen' }] },
  subject: { reference: subject },
  ...more,
})

let clinics: TwoClinics
/** Ids that only the demo clinic has. */
let ourPatient: string
let ourObservation: string
beforeAll(async () => {
  clinics = await startTwoClinics()
  ourPatient = (await clinics.ours('POST', '/Patient', patient())).body.id
  ourObservation = (await clinics.ours('POST', '/Observation', observation(`Patient/${ourPatient}`))).body.id
})
afterAll(() => clinics.server.close())

const idsOf = ({ status, body }: FhirResponse): string[] => {
  expect([status, body.resourceType]).toEqual([200, 'Bundle'])
  const entries: readonly { resource: { id: string }; search?: { mode: string } }[] = body.entry ?? []
  return entries.filter(({ search }) => search?.mode !== 'outcome').map(({ resource }) => resource.id)
}
/** Everything the demo clinic has, to see that a request of the other changed nothing. */
const ourHistory = async () => (await clinics.ours('GET', '/_history?_count=1')).body
const unchanged = async (request: () => Promise<unknown>): Promise<void> => {
  const { total } = await ourHistory()
  await request()
  expect((await ourHistory()).total).toBe(total)
}
const transaction = (entry: readonly object[]) => ({ resourceType: 'Bundle', type: 'transaction', entry })

describe('the id of a resource of another clinic is the id of none', () => {
  test.each<[string, string, unknown]>([
    ['GET', '', undefined],
    ['GET', '/_history/1', undefined],
    ['GET', '/_history', undefined],
    ['PATCH', '', [{ op: 'remove', path: '/birthDate' }]],
  ])('%s Patient/id%s is 404, to the letter as for an id that nobody has', async (method, rest, body) => {
    await unchanged(async () => {
      const answer = async (id: string) => {
        const { status, text } = await clinics.theirs(method, `/Patient/${id}${rest}`, body)
        return [status, text.replaceAll(id, '…')]
      }
      const other = await answer(ourPatient)
      expect(other[0]).toBe(404)
      expect(other).toEqual(await answer(randomUUID()))
    })
  })

  test('a deletion of it is 204, as of nothing, and it stays', async () => {
    await unchanged(async () => {
      expect((await clinics.theirs('DELETE', `/Patient/${ourPatient}`)).status).toBe(204)
    })
    expect((await clinics.ours('GET', `/Patient/${ourPatient}`)).status).toBe(200)
  })

  test('conditions on it are those on nothing: If-Match is 412, If-None-Match: * creates', async () => {
    const id = `shared-${randomUUID()}`
    await clinics.ours('PUT', `/Patient/${id}`, patient({ id }))
    const put = (headers: Record<string, string>) => clinics.theirs('PUT', `/Patient/${id}`, patient({ id }), headers)
    expect((await put({ 'if-match': 'W/"1"' })).status).toBe(412)
    expect((await put({ 'if-none-match': '*' })).status).toBe(201)
    await clinics.theirs('DELETE', `/Patient/${id}`)
  })

  test('the same id in two clinics is two resources, each with versions of its own', async () => {
    const id = `twice-${randomUUID()}`
    const put = (by: TwoClinics['ours'], family: string) =>
      by('PUT', `/Patient/${id}`, patient({ id, name: [{ family }] }))
    expect((await put(clinics.ours, 'Ours')).status).toBe(201)
    expect((await put(clinics.ours, 'Ours again')).status).toBe(200)
    const created = await put(clinics.theirs, 'Theirs')
    expect([created.status, created.headers.get('etag')]).toEqual([201, 'W/"1"'])
    expect((await clinics.ours('GET', `/Patient/${id}`)).body.name[0].family).toBe('Ours again')
    expect((await clinics.theirs('GET', `/Patient/${id}/_history`)).body.total).toBe(1)
    await clinics.theirs('DELETE', `/Patient/${id}`)
    expect((await clinics.theirs('GET', `/Patient/${id}`)).status).toBe(410)
    expect((await clinics.ours('GET', `/Patient/${id}`)).status).toBe(200)
  })

  test('a List that refers to it gives nothing of its history', async () => {
    const entry = [{ item: { reference: `Patient/${ourPatient}` } }]
    await clinics.theirs('PUT', '/List/reach', {
      resourceType: 'List',
      id: 'reach',
      status: 'current',
      mode: 'working',
      entry,
    })
    for (const path of ['/_history', '/Patient/_history']) {
      expect((await clinics.theirs('GET', `${path}?_list=reach`)).body.total).toBe(0)
      expect((await clinics.ours('GET', `${path}?_list=reach`)).body.total).toBe(0)
    }
    await clinics.theirs('DELETE', '/List/reach')
  })
})

describe('search', () => {
  beforeAll(async () => {
    // Theirs refer, by the same text, to a patient that only we have.
    const created = await clinics.theirs('POST', '/Observation', observation(`Patient/${ourPatient}`, { id: 'x' }))
    expect(created.status).toBe(201)
  })

  test.each([
    ['by a value', `/Patient?identifier=${SYSTEM}|both`],
    ['by id', '/Patient?_id={patient}'],
    ['without any criteria', '/Patient'],
    ['by a chain', '/Observation?subject:Patient.family=Tenant'],
    ['by a chain to the id', '/Observation?subject._id={patient}'],
    ['by _has', '/Patient?_has:Observation:subject:code=seen'],
    ['by :missing', '/Patient?family:missing=false'],
    ['across all types', '/?_id={patient}'],
    ['by POST', 'POST /Patient/_search'],
  ])('%s finds nothing of the other clinic', async (_name, query) => {
    const url = query.replace('{patient}', ourPatient)
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const answer = url.startsWith('POST')
      ? await clinics.theirs('POST', url.slice(5), `_id=${ourPatient}`, form)
      : await clinics.theirs('GET', url)
    expect(idsOf(answer)).toEqual([])
    expect(answer.body.total).toBe(0)
  })

  test.each([
    ['_include', '/Observation?code=seen&_include=Observation:subject'],
    ['_include=*', '/Observation?code=seen&_include=*'],
    ['_include:iterate', '/Observation?code=seen&_include:iterate=Observation:subject'],
  ])('%s brings nothing of the other clinic along', async (_name, url) => {
    const answer = await clinics.theirs('GET', url)
    expect(idsOf(answer)).toHaveLength(1)
    expect(answer.text).not.toContain('Tenant')
    expect(idsOf(await clinics.ours('GET', url)).sort()).toEqual([ourObservation, ourPatient].sort())
  })

  test.each(['Observation:subject', '*'])('_revinclude=%s brings nothing of the other clinic along', async (param) => {
    const found = idsOf(await clinics.ours('GET', `/Patient?_id=${ourPatient}&_revinclude=${param}`))
    expect([...found].sort()).toEqual([ourObservation, ourPatient].sort())
  })

  test('a cursor of the other clinic is refused, or pages through our own only', async () => {
    for (let i = 0; i < 3; i++) await clinics.ours('POST', '/Basic', { resourceType: 'Basic', code: { text: 'ours' } })
    const first = await clinics.ours('GET', '/Basic?_count=1')
    const next = new URL(first.body.link[1].url)
    const answer = await clinics.theirs('GET', `${next.pathname}${next.search}`)
    expect([200, 400]).toContain(answer.status)
    expect(answer.text).not.toContain('ours')
  })
})

describe('history', () => {
  test.each(['/_history?_count=1000', '/Patient/_history?_count=1000', '/Observation/_history?_count=1000'])(
    'of %s shows nothing of the other clinic',
    async (url) => {
      const answer = await clinics.theirs('GET', url)
      expect(answer.status).toBe(200)
      for (const id of [`"id":"${ourPatient}"`, `"id":"${ourObservation}"`]) expect(answer.text).not.toContain(id)
      expect(answer.text).not.toContain('Maple Street')
    },
  )
})

describe('conditional interactions see one clinic', () => {
  const mine = () => ({ value: randomUUID() })

  test('create: a match in the other clinic is none', async () => {
    const identifier = [mine()]
    await clinics.ours('POST', '/Patient', patient({ identifier }))
    const create = () =>
      clinics.theirs('POST', '/Patient', patient({ identifier }), {
        'if-none-exist': `identifier=${identifier[0]?.value}`,
      })
    expect((await create()).status).toBe(201)
    expect((await create()).status).toBe(200)
  })

  test('update, patch and delete: a match in the other clinic is not touched', async () => {
    const identifier = [mine()]
    const { id } = (await clinics.ours('POST', '/Patient', patient({ identifier }))).body
    const criteria = `/Patient?identifier=${identifier[0]?.value}`
    await unchanged(async () => {
      expect((await clinics.theirs('PATCH', criteria, [{ op: 'remove', path: '/birthDate' }])).status).toBe(404)
      expect((await clinics.theirs('DELETE', criteria)).status).toBe(204)
      const updated = await clinics.theirs('PUT', criteria, patient({ identifier }))
      expect(updated.status).toBe(201)
      expect(updated.body.id).not.toBe(id)
    })
  })

  test('16 conditional creates, 8 in each clinic at once, make one in each', async () => {
    const { value } = mine()
    const create = (by: TwoClinics['ours']) =>
      by('POST', '/Patient', patient({ identifier: [{ value }] }), { 'if-none-exist': `identifier=${value}` })
    const answers = await Promise.all(
      Array.from({ length: 16 }, (_, index) => create(index % 2 === 0 ? clinics.ours : clinics.theirs)),
    )
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(14).fill(200), 201, 201])
    for (const by of [clinics.ours, clinics.theirs])
      expect(idsOf(await by('GET', `/Patient?identifier=${value}`))).toHaveLength(1)
  })

  test('a conditional reference of a transaction to a resource of the other clinic matches nothing: 412', async () => {
    const { value } = mine()
    await clinics.ours('POST', '/Patient', patient({ identifier: [{ value }] }))
    const entry = [
      { resource: observation(`Patient?identifier=${value}`), request: { method: 'POST', url: 'Observation' } },
    ]
    expect((await clinics.theirs('POST', '/', transaction(entry))).status).toBe(412)
    expect((await clinics.ours('POST', '/', transaction(entry))).status).toBe(200)
  })

  test.each(['transaction', 'batch'])('a %s reads, updates and deletes in its own clinic', async (type) => {
    await unchanged(async () => {
      const entry = [
        { request: { method: 'DELETE', url: `Patient/${ourPatient}` } },
        {
          resource: observation('Patient/x', { id: ourObservation }),
          request: { method: 'PUT', url: `Observation/${ourObservation}` },
        },
        { request: { method: 'GET', url: `Patient?_id=${ourPatient}` } },
      ]
      const { status, body } = await clinics.theirs('POST', '/', { ...transaction(entry), type })
      expect(status).toBe(200)
      expect(body.entry.map((one: { response: { status: string } }) => one.response.status.slice(0, 3))).toEqual([
        '204',
        '201',
        '200',
      ])
      expect(body.entry[2].resource.total).toBe(0)
      await clinics.theirs('DELETE', `/Observation/${ourObservation}`)
    })
  })
})

describe('rules that look at other resources', () => {
  const slot = {
    resourceType: 'Slot',
    schedule: { reference: 'Schedule/s' },
    status: 'free',
    start: '2031-01-01T09:00:00Z',
    end: '2031-01-01T09:30:00Z',
  }
  const appointment = (id: string) => ({
    resourceType: 'Appointment',
    status: 'booked',
    start: slot.start,
    end: slot.end,
    slot: [{ reference: `Slot/${id}` }],
    participant: [{ actor: { reference: 'Patient/visitor' }, status: 'accepted' }],
  })
  const visitor = { resourceType: 'Patient', id: 'visitor', name: [{ family: 'Visitor' }] }
  beforeAll(async () => {
    for (const by of [clinics.ours, clinics.theirs]) await by('PUT', '/Patient/visitor', visitor)
  })

  test('a slot of the other clinic cannot be booked: 422 as for one that nobody has, and it stays free', async () => {
    const { id } = (await clinics.ours('POST', '/Slot', slot)).body
    const answer = async (slotId: string) => {
      const { status, text } = await clinics.theirs('POST', '/Appointment', appointment(slotId))
      return [status, text.replaceAll(slotId, '…')]
    }
    const refused = await answer(id)
    expect(refused[0]).toBe(422)
    expect(refused).toEqual(await answer(randomUUID()))
    expect((await clinics.ours('GET', `/Slot/${id}`)).body.status).toBe('free')
  })

  test('a participant of the other clinic is refused as one that nobody has', async () => {
    const { id } = (await clinics.ours('POST', '/Patient', { resourceType: 'Patient', name: [{ family: 'Ours' }] }))
      .body
    const answer = async (patient: string) => {
      const participant = [{ actor: { reference: `Patient/${patient}` }, status: 'accepted' }]
      const visit = { ...appointment('x'), slot: undefined, participant }
      const { status, text } = await clinics.theirs('POST', '/Appointment', visit)
      return [status, text.replaceAll(patient, '…')]
    }
    const refused = await answer(id)
    expect(refused[0]).toBe(422)
    expect(refused).toEqual(await answer(randomUUID()))
  })

  test('a reply does not reach the appointment of the other clinic', async () => {
    const visit = { ...appointment('x'), slot: undefined }
    const { id } = (await clinics.ours('POST', '/Appointment', visit)).body
    const reply = {
      resourceType: 'AppointmentResponse',
      appointment: { reference: `Appointment/${id}` },
      actor: { reference: 'Patient/visitor' },
      participantStatus: 'declined',
    }
    expect((await clinics.theirs('POST', '/AppointmentResponse', reply)).status).toBe(201)
    const { body } = await clinics.ours('GET', `/Appointment/${id}`)
    expect([body.meta.versionId, body.participant[0].status]).toEqual(['1', 'accepted'])
  })

  test('slots of one id are booked and freed in one clinic only', async () => {
    const id = `slot-${randomUUID()}`
    for (const by of [clinics.ours, clinics.theirs]) await by('PUT', `/Slot/${id}`, { ...slot, id })
    const status = async (by: TwoClinics['ours']) => (await by('GET', `/Slot/${id}`)).body.status
    const ours = await clinics.ours('POST', '/Appointment', appointment(id))
    expect([ours.status, await status(clinics.ours), await status(clinics.theirs)]).toEqual([201, 'busy', 'free'])
    expect((await clinics.theirs('POST', '/Appointment', appointment(id))).status).toBe(201)
    await clinics.ours('DELETE', `/Appointment/${ours.body.id}`)
    expect([await status(clinics.ours), await status(clinics.theirs)]).toEqual(['free', 'busy'])
  })

  test('a document about a patient of the other clinic is refused as one about nobody', async () => {
    const document = (id: string) => ({
      resourceType: 'DocumentReference',
      status: 'current',
      subject: { reference: `Patient/${id}` },
      content: [{ attachment: { contentType: 'text/plain', data: 'SGVsbG8=' } }],
    })
    const answer = async (id: string) => {
      const { status, text } = await clinics.theirs('POST', '/DocumentReference', document(id))
      return [status, text.replaceAll(id, '…')]
    }
    const refused = await answer(ourPatient)
    expect(refused[0]).toBe(422)
    expect(refused).toEqual(await answer(randomUUID()))
    const stored = await clinics.ours('POST', '/DocumentReference', document(ourPatient))
    expect(stored.status).toBe(201)
    expect((await clinics.theirs('GET', `/DocumentReference/${stored.body.id}`)).status).toBe(404)
    expect(idsOf(await clinics.theirs('GET', `/DocumentReference?patient=${ourPatient}`))).toEqual([])
  })

  test('$match finds patients of one clinic', async () => {
    const parameters = { resourceType: 'Parameters', parameter: [{ name: 'resource', resource: patient() }] }
    const found = async (by: TwoClinics['ours']) => idsOf(await by('POST', '/Patient/$match', parameters))
    const theirPatient = (await clinics.theirs('POST', '/Patient', patient())).body.id
    const [ours, theirs] = [await found(clinics.ours), await found(clinics.theirs)]
    expect(ours).toContain(ourPatient)
    expect(theirs).toContain(theirPatient)
    for (const id of ours) expect((await clinics.ours('GET', `/Patient/${id}`)).status).toBe(200)
    for (const id of theirs) expect((await clinics.theirs('GET', `/Patient/${id}`)).status).toBe(200)
  })
})

describe('a token for a clinic that there is not', () => {
  const iat = Math.floor(Date.now() / 1000)
  const claims = { sub: 'x', name: 'X', clinic: 'no-such-clinic', iat, exp: iat + 600 }
  const asked = async (url: string, token: string) => {
    const headers = { authorization: `Bearer ${token}` }
    const answers = [
      await request(url, 'GET', '/Patient', undefined, headers),
      await request(url, 'POST', '/Patient', { resourceType: 'Patient' }, headers),
      await request(url, 'PUT', '/clinics/no-such-clinic/settings', {}, headers),
      await request(url, 'GET', '/accounts', undefined, headers),
    ]
    return answers.map(({ status, body }) => [status, body.resourceType ?? Object.keys(body)])
  }
  const FORBIDDEN = [
    [403, 'OperationOutcome'],
    [403, 'OperationOutcome'],
    [403, ['error']],
    [403, ['error']],
  ]

  test.each(['staff', 'admin', 'operator'])('of %s is 403 on every route, and nothing is stored', async (role) => {
    const secret = 's'.repeat(40)
    const server = await startServer({ JWT_SECRET: secret })
    try {
      expect(await asked(server.url, jsonwebtoken.sign({ ...claims, role }, secret))).toEqual(FORBIDDEN)
      expect(await server.app.repository.clinics()).not.toContain('no-such-clinic')
    } finally {
      await server.close()
    }
  })

  test('is 403 from a foreign issuer too, until the clinic is made', async () => {
    const issuer = await startIssuer(rsaKey('key'))
    const [iss, aud] = ['https://login.example', 'https://emr.example']
    const server = await startServer({ JWKS_URL: issuer.jwksUrl, JWT_ISSUER: iss, JWT_AUDIENCE: aud })
    try {
      const token = issuer.sign({ ...claims, role: 'admin', iss, aud })
      expect((await asked(server.url, token)).slice(0, 3)).toEqual(FORBIDDEN.slice(0, 3))
      const headers = { authorization: `Bearer ${issuer.sign({ ...claims, clinic: '', role: 'operator', iss, aud })}` }
      const clinic = { id: 'no-such-clinic', name: 'Now there', timeZone: 'UTC', defaultRegion: 'US' }
      expect((await request(server.url, 'POST', '/clinics', clinic, headers)).status).toBe(201)
      const found = await request(server.url, 'GET', '/Patient', undefined, { authorization: `Bearer ${token}` })
      expect(found.status).toBe(200)
    } finally {
      await server.close()
      await issuer.close()
    }
  })
})

describe('the clinics themselves', () => {
  test('each reads its own Organization, and not the other', async () => {
    expect((await clinics.theirs('GET', `/Organization/${OTHER_CLINIC}`)).body.name).toBe('Other Clinic')
    expect((await clinics.theirs('GET', '/Organization/demo-clinic')).status).toBe(404)
    expect((await clinics.ours('GET', `/Organization/${OTHER_CLINIC}`)).status).toBe(404)
  })

  test.each(['sandbox', 'settings'])('staff cannot read or change the %s of the other: 403', async (what) => {
    expect((await clinics.theirs('GET', `/clinics/demo-clinic/${what}`)).status).toBe(403)
    expect((await clinics.theirs('PUT', `/clinics/demo-clinic/${what}`, { enabled: false })).status).toBe(403)
  })

  test('the sandbox of one is turned off without the other', async () => {
    const turn = (enabled: boolean) => clinics.theirs('PUT', `/clinics/${OTHER_CLINIC}/sandbox`, { enabled })
    expect((await turn(false)).status).toBe(200)
    expect((await clinics.theirs('GET', '/Patient')).status).toBe(403)
    expect((await clinics.ours('GET', '/Patient')).status).toBe(200)
    expect((await turn(true)).status).toBe(200)
    expect((await clinics.theirs('GET', '/Patient')).status).toBe(200)
  })
})
