/** The plans of a clinic as TestScripts in its data. */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import { askAs, idsOf, type Rehearsed, startRehearsed } from '../rehearsed.ts'

const PLAN = {
  ...{ plan: 'looks', title: 'Looks', version: '1.0.0', description: 'A plan of a test' },
  steps: [{ id: 'look', title: 'Looks', source: 'https://hl7.org/fhir/R4/http.html', attest: 'It looked' }],
}

let clinic: Rehearsed
beforeAll(async () => {
  clinic = await startRehearsed()
})
afterAll(() => clinic.server.close())

const scripts = (query = '', { server } = clinic) =>
  idsOf(server, server.token, `TestScript?_sort=_id&_count=100${query}`)
const plans = async () => (await clinic.ask('GET', '/plans')).body.plans.map(({ plan }: { plan: string }) => plan)

test('those of the server are TestScripts from the first request on, and found and read before any run', async () => {
  expect(await scripts()).toEqual(await plans())
  expect(await scripts('&title=The life of a booking')).toEqual(['booking-lifecycle'])
  const { status, body } = await clinic.server.fhir('GET', '/TestScript/availability')
  expect([status, body.status, body.test.length > 0]).toEqual([200, 'active', true])
})

test('one of the clinic is a TestScript when it is stored, in each version, and retired when it is deleted', async () => {
  await clinic.ask('PUT', '/plans/looks', PLAN)
  expect(await scripts()).toEqual(await plans())
  await clinic.ask('PUT', '/plans/looks', { ...PLAN, version: '1.1.0' })
  expect((await clinic.server.fhir('GET', '/TestScript/looks')).body.version).toBe('1.1.0')
  await clinic.ask('DELETE', '/plans/looks')
  expect(await scripts('&status=active')).toEqual(await plans())
  expect(await scripts('&status=retired')).toEqual(['looks'])
})

test('they are there after a reset, and in a clone', async () => {
  await clinic.ask('PUT', '/plans/looks', PLAN)
  await clinic.resetTo('empty')
  expect(await scripts()).toEqual(await plans())
  const { body } = await clinic.ask('POST', '/runs', { plan: 'availability', clone: true })
  const { status } = await askAs(clinic.server, body.token, 'GET', '/TestScript/availability')
  expect(status).toBe(200)
})

test('where nobody rehearses there is no TestScript', async () => {
  const other = await startRehearsed({ REHEARSAL: 'off' })
  expect(await scripts('', other)).toEqual([])
  await other.server.close()
})
