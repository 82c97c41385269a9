/** Each topic by the real thing over HTTP: exactly this topic matches, with its focus. docs/topics.md */
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals'
import { topics } from '../../src/events/topics.ts'
import type { AnyResource } from '../../src/fhir/resource.ts'
import { ALL_FIELDS, Caller, INTAKE } from '../calls/caller.ts'
import { appointmentsOf, startVisits, type Visits } from '../calls/tools/visits.ts'
import { startSystem, TOKEN } from '../integrations/insurance/system.ts'
import { parameters, reference } from '../support/appointment-operations.ts'
import { type Bookings, bookingsOn, PATIENT } from '../support/booking.ts'
import { startReceiver } from '../support/receiver.ts'
import { versionOf } from './versions.ts'

let visits: Visits
let bookings: Bookings
let marks = 0
beforeAll(async () => {
  visits = await startVisits()
  bookings = bookingsOn(visits.server)
})
afterAll(() => visits.server.close())

const fhir: Visits['server']['fhir'] = async (...request) => {
  const answer = await visits.server.fhir(...request)
  if (answer.status > 299) throw new Error(answer.text)
  return answer
}

/** The topics of all that `work` writes, as `topic Type`, in order. */
async function eventsOf(work: () => Promise<unknown>): Promise<readonly string[]> {
  marks += 1
  const mark = `mark-${marks}`
  await fhir('PUT', `/Basic/${mark}`, { resourceType: 'Basic', id: mark, code: { text: 'a mark' } })
  await work()
  const written: (AnyResource & { id: string })[] = []
  for (const { resource } of (await fhir('GET', '/_history?_count=100')).body.entry) {
    if (resource?.id === mark) break
    if (resource !== undefined) written.unshift(resource)
  }
  const found = await Promise.all(written.map(topicsOf))
  return found.flat().toSorted()
}

async function topicsOf(current: AnyResource & { id: string }): Promise<readonly string[]> {
  const { resourceType: type, id } = current
  const number = Number(current.meta?.versionId) - 1
  const previous =
    number === 0 ? undefined : (await visits.server.fhir('GET', `/${type}/${id}/_history/${number}`)).body
  const before = previous?.resourceType === type ? { previous: versionOf(previous) } : {}
  const change = { type, current: versionOf(current), ...before }
  return topics()
    .filter(({ matches }) => matches(change))
    .map((topic) => `${topic.id} ${type}`)
}

const visit = async (more: object = {}) => await bookings.booked(await bookings.freeSlots(), more)

/** The next status of a resource, with all else as it is. */
async function become(address: string, more: object): Promise<void> {
  await fhir('PUT', `/${address}`, { ...(await fhir('GET', `/${address}`)).body, ...more })
}

describe('a visit is booked', () => {
  test('by FHIR', async () => {
    const ids = await bookings.freeSlots()
    expect(await eventsOf(() => bookings.booked(ids))).toEqual(['appointment-booked Appointment'])
  })

  test('by $hold and $book: the hold alone is no event', async () => {
    const ids = await bookings.freeSlots()
    const { id } = await bookings.booked(ids, { status: 'proposed' })
    const call = (name: string) =>
      fhir('POST', `/Appointment/$${name}`, parameters(reference('appointment-reference', `Appointment/${id}`)))
    expect(await eventsOf(() => call('hold'))).toEqual([])
    expect(await eventsOf(() => call('book'))).toEqual(['appointment-booked Appointment'])
  })

  test('by the phone tool', async () => {
    const { caller } = await visits.verified()
    expect(await eventsOf(() => caller.booked({ when: 'March 5th at nine' }))).toEqual([
      'appointment-booked Appointment',
    ])
  })

  test('and another comment of it, or its arrival, is no event', async () => {
    const { id } = await visit()
    expect(await eventsOf(() => become(`Appointment/${id}`, { comment: 'by the window' }))).toEqual([])
    expect(await eventsOf(() => become(`Appointment/${id}`, { status: 'arrived' }))).toEqual([])
  })
})

describe('a visit is moved', () => {
  test('by $reschedule, which frees its slot', async () => {
    const { id } = await visit()
    const [slot] = await bookings.freeSlots(1, { start: '2031-03-04T09:30:00Z', end: '2031-03-04T10:00:00Z' })
    const move = () => fhir('POST', `/Appointment/${id}/$reschedule`, parameters(reference('slot', `Slot/${slot}`)))
    expect(await eventsOf(move)).toEqual(['appointment-moved Appointment', 'slot-freed Slot'])
  })

  test('to another slot of the same time', async () => {
    const { id } = await visit()
    const [slot] = await bookings.freeSlots()
    const move = () => fhir('POST', `/Appointment/${id}/$reschedule`, parameters(reference('slot', `Slot/${slot}`)))
    expect(await eventsOf(move)).toEqual(['appointment-moved Appointment', 'slot-freed Slot'])
  })

  test('by the phone tool', async () => {
    const { caller } = await visits.verified()
    const appointmentKey = await caller.booked({ when: 'March 6th at ten' })
    const slotKey = await caller.slotKey({ when: 'March 7th at ten' })
    expect(await eventsOf(() => caller.use('reschedule_appointment', { appointmentKey, slotKey }))).toEqual([
      'appointment-moved Appointment',
      'slot-freed Slot',
    ])
  })

  test('but the same instant in another zone is no move', async () => {
    const { id, start } = await visit()
    const elsewhere = String(start).replace('09:30:00.000Z', '10:30:00.000+01:00')
    expect(await eventsOf(() => become(`Appointment/${id}`, { start: elsewhere }))).toEqual([])
  })
})

describe('a visit is cancelled', () => {
  test('by $cancel, which frees its slot', async () => {
    const { id } = await visit()
    expect(await eventsOf(() => fhir('POST', `/Appointment/${id}/$cancel`))).toEqual([
      'appointment-cancelled Appointment',
      'slot-freed Slot',
    ])
  })

  test('by the phone tool', async () => {
    const { id, caller } = await visits.verified()
    const appointmentKey = await caller.booked({ when: 'March 5th at eleven' })
    expect(await eventsOf(() => caller.use('cancel_appointment', { appointmentKey }))).toEqual([
      'appointment-cancelled Appointment',
      'slot-freed Slot',
    ])
    expect((await appointmentsOf(visits, id))[0]?.status).toBe('cancelled')
  })

  test('but the release of a hold frees a slot and cancels nothing', async () => {
    const { id } = await visit({ status: 'proposed' })
    await fhir('POST', '/Appointment/$hold', parameters(reference('appointment-reference', `Appointment/${id}`)))
    expect(await eventsOf(() => fhir('POST', `/Appointment/${id}/$cancel`))).toEqual(['slot-freed Slot'])
  })

  test('but one that is written as cancelled was none here', async () => {
    expect(await eventsOf(() => bookings.booked([], { status: 'cancelled' }))).toEqual([])
  })
})

test('a patient does not come', async () => {
  const { id } = await visit()
  expect(await eventsOf(() => become(`Appointment/${id}`, { status: 'noshow' }))).toEqual([
    'appointment-no-show Appointment',
  ])
})

test('a slot that staff unblock is freed; one that is written as free is not', async () => {
  expect(await eventsOf(() => bookings.freeSlots())).toEqual([])
  const [id] = await bookings.freeSlots(1, { status: 'busy-unavailable' })
  expect(await eventsOf(() => become(`Slot/${id}`, { status: 'free' }))).toEqual(['slot-freed Slot'])
})

describe('a patient', () => {
  const person = { resourceType: 'Patient', name: [{ family: 'Topic', given: ['Tess'] }], birthDate: '1977-07-07' }

  test('is registered by FHIR; an update registers nobody', async () => {
    let id = ''
    const register = async () => {
      id = (await fhir('POST', '/Patient', person)).body.id
    }
    expect(await eventsOf(register)).toEqual(['patient-registered Patient'])
    expect(await eventsOf(() => become(`Patient/${id}`, { gender: 'female' }))).toEqual([])
  })

  test('is a placeholder until the registration is complete', async () => {
    const caller = new Caller(visits.server)
    const { email, ...most } = ALL_FIELDS
    expect(await eventsOf(() => caller.use('update_registration_field', most))).toEqual([])
    expect(await eventsOf(() => caller.use('update_registration_field', { email }))).toEqual([
      'placeholder-became-real Patient',
    ])
  })

  test('whose registration is complete at once is registered', async () => {
    const fields = { ...ALL_FIELDS, firstName: 'Joan', phone: '+12125550177', email: 'joan@example.com' }
    const register = () => new Caller(visits.server).use('update_registration_field', fields)
    expect(await eventsOf(register)).toEqual(['patient-registered Patient'])
  })

  test('is merged into another one', async () => {
    const [source, target] = [
      (await fhir('POST', '/Patient', person)).body,
      (await fhir('POST', '/Patient', person)).body,
    ]
    const merge = () =>
      fhir(
        'POST',
        '/Patient/$merge',
        parameters(
          reference('source-patient', `Patient/${source.id}`),
          reference('target-patient', `Patient/${target.id}`),
        ),
      )
    expect(await eventsOf(merge)).toEqual(['patients-merged Patient'])
  })
})

describe('a task', () => {
  const task = { resourceType: 'Task', status: 'requested', intent: 'order', for: { reference: PATIENT } }

  test('is raised, claimed and completed', async () => {
    const done = parameters({ name: 'outcome', valueCodeableConcept: { coding: [{ code: 'done' }], text: 'Done' } })
    let id = ''
    const raise = async () => {
      id = (await fhir('POST', '/Task', task)).body.id
    }
    expect(await eventsOf(raise)).toEqual(['task-raised Task'])
    expect(await eventsOf(() => fhir('POST', `/Task/${id}/$claim`))).toEqual([])
    expect(await eventsOf(() => fhir('POST', `/Task/${id}/$complete`, done))).toEqual(['task-completed Task'])
    expect(await eventsOf(() => become(`Task/${id}`, { status: 'in-progress' }))).toEqual(['task-raised Task'])
  })

  test('is raised by a tool of a call', async () => {
    const { caller } = await visits.verified()
    const escalate = () => caller.use('escalate_billing', { reason: 'wants to speak about a bill' })
    expect(await eventsOf(escalate)).toEqual(['task-raised Task'])
  })
})

test('a document is superseded by one that replaces it', async () => {
  const document = {
    resourceType: 'DocumentReference',
    status: 'current',
    subject: { reference: PATIENT },
    content: [{ attachment: { contentType: 'text/plain', data: Buffer.from('first').toString('base64') } }],
  }
  const { id } = (await fhir('POST', '/DocumentReference', document)).body
  const relatesTo = [{ code: 'replaces', target: { reference: `DocumentReference/${id}` } }]
  expect(await eventsOf(() => fhir('POST', '/DocumentReference', { ...document, relatesTo }))).toEqual([
    'document-superseded DocumentReference',
  ])
})

test('a call ends once', async () => {
  const caller = new Caller(visits.server)
  await caller.use('update_registration_field', { firstName: 'Jo' })
  expect(await eventsOf(() => caller.end())).toEqual(['call-ended Encounter'])
  expect(await eventsOf(() => caller.end())).toEqual([])
})

test('an Encounter of a visit that finishes is the end of no call', async () => {
  const status = 'in-progress'
  const encounter = { resourceType: 'Encounter', status, class: { code: 'AMB' }, subject: { reference: PATIENT } }
  const { id } = (await fhir('POST', '/Encounter', encounter)).body
  expect(await eventsOf(() => become(`Encounter/${id}`, { status: 'finished' }))).toEqual([])
})

/** Settings of the demo clinic, for the time of `work`. */
async function withSettings(more: object, work: () => Promise<void>): Promise<void> {
  const path = '/clinics/demo-clinic/settings'
  const { body } = await fhir('GET', path)
  await fhir('PUT', path, { ...body, ...more })
  try {
    await work()
  } finally {
    await fhir('PUT', path, body)
  }
}

test('the insurance answers; while it is asked, it has not', async () => {
  const system = await startSystem()
  const insurance = { enabled: true, url: system.url, token: TOKEN }
  await withSettings({ insurance }, async () => {
    const caller = new Caller(visits.server)
    await caller.use('update_registration_field', { firstName: 'Jo' })
    const submit = (memberId: string) => caller.use('submit_insurance_info', { payerName: 'Acme Health', memberId })
    const answers = async (memberId: string) =>
      (await eventsOf(() => submit(memberId))).filter((event) => !event.startsWith('task-'))
    system.answer({ body: { status: 'PENDING' } })
    expect(await answers('ABC-1234')).toEqual([])
    system.answer({ body: { status: 'VERIFIED' } })
    expect(await answers('ABC-9999')).toEqual(['insurance-answered CoverageEligibilityResponse'])
  })
  await system.close()
})

test('a delivery is given up', async () => {
  const receiver = await startReceiver()
  const secret = `whsec_${Buffer.alloc(32, 7).toString('base64')}`
  await withSettings({ crm: { enabled: true, url: receiver.url, secret } }, async () => {
    receiver.answer(503)
    const later = await eventsOf(() => new Caller(visits.server).use('submit_intake', INTAKE))
    expect(later).toContain('task-raised Task')
    expect(later).not.toContain('delivery-given-up Task')
    receiver.answer(400)
    const never = await eventsOf(() => new Caller(visits.server).use('submit_intake', INTAKE))
    expect(never.filter((event) => event.startsWith('delivery'))).toEqual(['delivery-given-up Task'])
  })
  await receiver.close()
})

describe('a client', () => {
  test('reads topics as Basic resources, and cannot change them', async () => {
    const { body } = await fhir('GET', '/Basic?code=http://hl7.org/fhir/fhir-types|SubscriptionTopic&_count=50')
    expect(body.entry.map(({ resource }: { resource: AnyResource }) => resource.id).toSorted()).toEqual(
      topics().map(({ id }) => id),
    )
    const topic = (await fhir('GET', '/Basic/slot-freed')).body
    for (const [method, sent] of [['PUT', { ...topic, author: { display: 'me' } }], ['DELETE']] as const) {
      const { status, text } = await visits.server.fhir(method, '/Basic/slot-freed', sent)
      expect([status, text]).toEqual([422, expect.stringContaining('belongs to the server')])
    }
  })

  test('finds the canonicals of all topics in the CapabilityStatement', async () => {
    const { resource } = (await fhir('GET', '/metadata')).body.rest[0]
    const { extension } = resource.find(({ type }: { type: string }) => type === 'Subscription')
    expect(extension.map(({ valueCanonical }: { valueCanonical: string }) => valueCanonical)).toEqual(
      topics().map(({ url }) => url),
    )
  })
})
