/** Requests in a clinic while it is reset: each ends as if it had come before the reset or after it, never in between. */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import type { Bundle } from 'fhir/r4'
import { openStream } from '../../support/journal.ts'
import { until } from '../../support/server-process.ts'
import { askAs, idsOf, type Rehearsed, startRehearsed } from '../rehearsed.ts'

let clinic: Rehearsed
let admin: string
beforeAll(async () => {
  clinic = await startRehearsed()
  admin = await clinic.server.login('admin', 'admin')
})
afterAll(() => clinic.server.close())

const reset = (scenario: string) => clinic.ask('POST', '/reset', { scenario })

const patient = (id: string, family: string) => ({ resourceType: 'Patient', id, name: [{ family }] })

/** Sends requests one after the other until `isOver`, and returns the statuses. */
async function during<T>(work: () => Promise<unknown>, request: (index: number) => Promise<T>): Promise<readonly T[]> {
  let isOver = false
  const answers: T[] = []
  const others = Array.from({ length: 4 }, async (_, client) => {
    for (let index = client; !isOver; index += 4) answers.push(await request(index))
  })
  await work()
  isOver = true
  await Promise.all(others)
  return answers
}

const bothWays = async () => {
  expect((await reset('quiet-week')).status).toBe(200)
  expect((await reset('empty')).status).toBe(200)
}

describe('while a clinic is reset', () => {
  test('the live stream of the journal stays open, and tells of requests after it', async () => {
    const { server } = clinic
    const stream = await openStream(server.url, admin)
    await reset('empty')
    await askAs(server, admin, 'GET', '/Patient/after-the-reset')
    await until(() => JSON.stringify(stream.events).includes('after-the-reset'))
    stream.close()
  })

  test('a transaction is written whole, to the old data or to the new', async () => {
    const { server } = clinic
    const transaction = (index: number) => ({
      ...{ resourceType: 'Bundle', type: 'transaction' },
      entry: ['a', 'b', 'c'].map((part) => {
        const id = `t${index}-${part}`
        return { resource: patient(id, `Transacted${index}`), request: { method: 'PUT', url: `Patient/${id}` } }
      }),
    })
    const statuses = await during(
      bothWays,
      async (index) => (await server.fhir('POST', '/', transaction(index))).status,
    )
    expect(new Set(statuses)).toEqual(new Set([200]))
    const left = await idsOf(server, admin, 'Patient?_count=1000')
    const parts = Map.groupBy(left, (id) => id.replace(/-.$/, ''))
    expect([...parts.values()].filter((ids) => ids.length !== 3)).toEqual([])
  })

  test('an upload is kept with its bytes, or is gone with them', async () => {
    const { server } = clinic
    const headers = { 'content-type': 'text/plain', authorization: `Bearer ${admin}` }
    const upload = async (index: number) => {
      const body = `${index} `.repeat(20_000)
      const response = await fetch(`${server.url}/Binary`, { method: 'POST', headers, body })
      return [response.status, ((await response.json()) as { id?: string }).id, body] as const
    }
    const uploads = await during(bothWays, upload)
    expect(uploads.filter(([status]) => status !== 201 && status !== 422)).toEqual([])
    for (const [status, id, body] of uploads.filter(([one]) => one === 201)) {
      const read = await fetch(`${server.url}/Binary/${id}`, { headers: { ...headers, accept: 'text/plain' } })
      expect([status, read.status]).toEqual([201, read.status === 404 ? 404 : 200])
      if (read.status === 200) expect(await read.text()).toBe(body)
    }
  })

  test('the next page of a search is one of the data that it began in, or is refused as no page of the new data', async () => {
    const { server } = clinic
    await reset('quiet-week')
    const walk = async () => {
      let pages = 0
      for (let next: string | undefined = '/Slot?_count=50'; next !== undefined; pages += 1) {
        const { status, body, text } = await server.fhir('GET', next)
        if (status === 400 && pages > 0 && text.includes('_cursor')) return pages
        expect(status).toBe(200)
        const url: string | undefined = (body as Bundle).link?.find(({ relation }) => relation === 'next')?.url
        next = url?.slice(server.url.length)
      }
      return pages
    }
    expect((await during(bothWays, walk)).every((pages) => pages > 0)).toBe(true)
  })

  test('visits are booked once at most, and no slot of the new data is left busy by one of the old', async () => {
    const { server } = clinic
    await reset('quiet-week')
    const slots = await idsOf(server, admin, 'Slot?status=free&_count=60&_sort=-start')
    const book = (index: number) =>
      server.fhir('POST', '/Appointment', {
        ...{
          resourceType: 'Appointment',
          status: 'booked',
          slot: [{ reference: `Slot/${slots[index % slots.length]}` }],
        },
        participant: [{ actor: { reference: 'Patient/pat-abernathy' }, status: 'accepted' }],
      })
    const again = async () => expect((await reset('quiet-week')).status).toBe(200)
    const answers = await during(again, async (index) => (await book(index)).status)
    expect(answers.length).toBeGreaterThan(0)
    const busy = await idsOf(server, admin, 'Slot?status=busy&_count=1000')
    const { body } = await askAs(
      server,
      admin,
      'GET',
      '/Appointment?_count=1000&status=booked,arrived,fulfilled,pending',
    )
    const held = ((body as Bundle).entry ?? []).flatMap(({ resource }) =>
      ((resource as { slot?: readonly { reference?: string }[] }).slot ?? []).map(({ reference = '' }) =>
        reference.slice(5),
      ),
    )
    expect(busy.filter((slot) => !held.includes(slot))).toEqual([])
    expect(held.length).toBe(new Set(held).size)
  })
})

describe('a clone', () => {
  test('that ends while it is used refuses what comes after, without a fault', async () => {
    const { server } = clinic
    const { body } = await askAs(server, admin, 'POST', '/clinics', { from: { scenario: 'quiet-week' } })
    const end = () => askAs(server, admin, 'DELETE', `/clinics/${body.id}`)
    const statuses = await during(end, async (index) => {
      const write = await askAs(server, body.token, 'PUT', `/Patient/x${index}`, patient(`x${index}`, 'Late'))
      const read = await askAs(server, body.token, 'GET', '/Patient?_count=5')
      return [write.status, read.status]
    })
    expect(statuses.flat().filter((status) => ![200, 201, 401, 403].includes(status))).toEqual([])
    expect((await askAs(server, body.token, 'GET', '/Patient')).status).toBe(401)
  })
})
