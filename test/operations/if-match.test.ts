/** If-Match on an operation on a resource: it is done on the version that the client has seen, or not at all. */
import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { type Parameter, parameters, reference, type Visits, visitsOn } from '../support/appointment-operations.ts'
import { logInAs, startTwoClinics, type TwoClinics, withToken } from '../support/two-clinics.ts'

let clinics: TwoClinics
let visits: Visits
let calls: TwoClinics['ours']
beforeAll(async () => {
  clinics = await startTwoClinics()
  visits = visitsOn(clinics.server)
  await visits.open()
  calls = clinics.ours
})
afterAll(() => clinics.server.close())

const tag = (version: string | number): Record<string, string> => ({ 'if-match': `W/"${version}"` })

interface Case {
  /** A new resource that the operation may be called on. */
  readonly make: () => Promise<string>
  readonly given?: () => Promise<readonly Parameter[]>
}

const bookedVisit = (status: string) => async () =>
  `Appointment/${(await visits.booked(await visits.slots(1), { status })).id}`
const newTask = async (): Promise<string> => {
  const task = { resourceType: 'Task', id: randomUUID(), status: 'requested', intent: 'order' }
  await visits.put(task)
  return `Task/${task.id}`
}
const mergedSource = async (): Promise<string> => {
  const [source, target] = [`Patient/${randomUUID()}`, `Patient/${randomUUID()}`]
  for (const one of [source, target]) await visits.put({ resourceType: 'Patient', id: one.slice('Patient/'.length) })
  await calls(
    'POST',
    '/Patient/$merge',
    parameters(reference('source-patient', source), reference('target-patient', target)),
  )
  return source
}

const CASES: readonly [string, Case][] = [
  ['$cancel', { make: bookedVisit('booked') }],
  ['$confirm', { make: bookedVisit('pending') }],
  [
    '$reschedule',
    {
      make: bookedVisit('booked'),
      given: async () => (await visits.slots(1)).map((id) => reference('slot', `Slot/${id}`)),
    },
  ],
  ['$claim', { make: newTask }],
  ['$complete', { make: newTask, given: async () => [{ name: 'outcome', valueCodeableConcept: { text: 'Done' } }] }],
  ['$meta-add', { make: newTask, given: async () => [{ name: 'meta', valueMeta: { tag: [{ code: 'x' }] } }] }],
  ['$unmerge', { make: mergedSource }],
]

describe('an operation on a resource', () => {
  test.each(CASES)('%s is done on the version that If-Match names, and on no other', async (code, { make, given }) => {
    const address = await make()
    const body = parameters(...((await given?.()) ?? []))
    const { body: seen } = await calls('GET', `/${address}`)
    const { versionId } = seen.meta
    const changed = await calls('PUT', `/${address}`, { ...seen, language: 'en' })
    expect(changed.status).toBe(200)

    const refused = await calls('POST', `/${address}/${code}`, body, tag(versionId))
    expect([refused.status, refused.body.issue[0].diagnostics]).toEqual([
      412,
      expect.stringContaining(`${address} has version ${changed.body.meta.versionId}`),
    ])
    expect((await calls('GET', `/${address}`)).body).toEqual(changed.body)

    expect((await calls('POST', `/${address}/${code}`, body, tag(changed.body.meta.versionId))).status).toBe(200)
  })

  test('in a batch heeds the ifMatch of its entry', async () => {
    const address = await newTask()
    const claim = async (ifMatch: string) => {
      const entry = [{ request: { method: 'POST', url: `${address}/$claim`, ifMatch } }]
      const { body } = await calls('POST', '/', { resourceType: 'Bundle', type: 'batch', entry })
      return body.entry[0].response.status.slice(0, 3)
    }
    expect([await claim('W/"7"'), await claim('W/"1"')]).toEqual(['412', '200'])
  })

  test.each([
    ['a tag that this server never gave', '"abc"', 412],
    ['any version', '*', 200],
  ])('with %s', async (_what, ifMatch, status) => {
    const address = await newTask()
    expect((await calls('POST', `/${address}/$claim`, undefined, { 'if-match': ifMatch })).status).toBe(status)
  })

  test('of two with the same If-Match one is done', async () => {
    const address = await newTask()
    const other = withToken(
      clinics.server,
      await logInAs(clinics.server, { username: 'second', clinic: 'demo-clinic', role: 'staff' }),
    )
    const claims = [calls, other.fhir].map((fhir) => fhir('POST', `/${address}/$claim`, undefined, tag(1)))
    expect((await Promise.all(claims)).map(({ status }) => status).sort()).toEqual([200, 412])
  })

  test('says of a resource of another clinic nothing but that there is none', async () => {
    const address = await newTask()
    for (const version of [1, 7]) {
      const { status, text } = await clinics.theirs('POST', `/${address}/$claim`, undefined, tag(version))
      expect(status).toBe(412)
      expect(text).toContain('does not exist')
    }
  })
})
