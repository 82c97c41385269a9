/** Two processes on one store: what one of them books, the other does not offer from that moment on. */
import { expect, test } from '@jest/globals'
import type { Appointment, Bundle } from 'fhir/r4'
import { half, slot } from '../support/booking.ts'
import { newLastingDatabaseUrl } from '../support/database.ts'
import { request } from '../support/request.ts'
import { endProcessesAfterEach, login, start } from '../support/server-process.ts'

endProcessesAfterEach()

const SLOTS = 24

test('a time that one process books is not offered by the other once the booking is acknowledged', async () => {
  const DATABASE_URL = await newLastingDatabaseUrl()
  const env = { DATABASE_URL, DEMO: 'on', JWT_SECRET: 'a-secret-that-both-processes-have-in-common' }
  const urls = [(await start(env)).url, (await start(env)).url] as const
  const authorization = `Bearer ${await login(urls[0])}`
  const send = (process: 0 | 1, method: string, path: string, body?: unknown) =>
    request(urls[process], method, path, body, { authorization })

  const actor = [{ reference: 'Practitioner/practitioner-okafor' }]
  await send(0, 'PUT', '/Schedule/calendar', { resourceType: 'Schedule', id: 'calendar', actor })
  for (let n = 0; n < SLOTS; n += 1) await send(0, 'PUT', `/Slot/shared-${n}`, slot(`shared-${n}`, n))

  const query = `start=${half(0)}&end=${half(SLOTS)}&patient-reference=Patient/abernathy-ruth&_count=${SLOTS}`
  const found = async (process: 0 | 1): Promise<readonly Appointment[]> => {
    const { body } = await send(process, 'GET', `/Appointment/$find?${query}`)
    return ((body as Bundle<Appointment>).entry ?? []).flatMap(({ resource }) => resource ?? [])
  }
  const left = [...(await found(0))]
  expect(left).toHaveLength(SLOTS)
  for (let n = 0; n < SLOTS; n += 1) {
    const [booking, other] = n % 2 === 0 ? ([0, 1] as const) : ([1, 0] as const)
    // Both processes cache the response.
    expect([await found(booking), await found(other)]).toEqual([left, left])
    const [first] = left.splice((n * 7) % left.length, 1)
    const { status } = await send(booking, 'POST', '/Appointment/$book', {
      resourceType: 'Parameters',
      parameter: [{ name: 'appointment-reference', valueReference: { reference: `Appointment/${first?.id}` } }],
    })
    expect(status).toBe(200)
    expect([await found(other), await found(booking)]).toEqual([left, left])
  }
})
