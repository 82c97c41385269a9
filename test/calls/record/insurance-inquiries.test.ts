/** Results of a verification system that come after PENDING: recorded once, with one Task. docs/insurance.md */
import { afterEach, beforeEach, describe, expect, test } from '@jest/globals'
import type { Coverage, CoverageEligibilityResponse, Patient, Task } from 'fhir/r4'
import { pino } from 'pino'
import { type InquiryServices, insuranceInquiries } from '../../../src/calls/record/insurance-inquiries.ts'
import { ASK_FOR, INQUIRY } from '../../../src/calls/record/submitted-insurance.ts'
import { submitInsuranceInfo } from '../../../src/calls/tools/billing.ts'
import { updateRegistrationField } from '../../../src/calls/tools/registration.ts'
import { createClinic } from '../../../src/clinics/clinics.ts'
import type { InsuranceSettings } from '../../../src/clinics/insurance-settings.ts'
import { type ClinicSettings, writeSettings } from '../../../src/clinics/settings.ts'
import type { InsuranceVerification } from '../../../src/core/ports.ts'
import { LEASE } from '../../../src/integrations/due-work.ts'
import { insuranceConnector } from '../../../src/integrations/insurance.ts'
import { type InsuranceSystem, startSystem, TOKEN } from '../../integrations/insurance/system.ts'
import { openTestRepository, type TestRepository } from '../../support/repository.ts'
import { attachedTo } from '../caller.ts'

const START = Date.parse('2025-06-15T12:00:00Z')
const MINUTE = 60_000
/** Milliseconds after which the request to a slow system is retried. */
const SOON = 5_000
const STATUS = 'https://sandbox-emr.example/fhir/StructureDefinition/insurance-status'
const VERIFIED = { body: { status: 'VERIFIED', copayCents: 2500 } }
const PENDING = { body: { status: 'PENDING' } }

let store: TestRepository
let now: number
let system: InsuranceSystem
let insurance: InsuranceVerification
let patient: string
let tokens = 0

beforeEach(async () => {
  now = START
  store = await openTestRepository(now)
  system = await startSystem('silent')
  insurance = newConnector()
  await createClinic(store.repository, 'a', clinicWith(system))
  patient = await newPatient()
})
afterEach(() => system.close())

/** A connector without a memory of earlier failures. */
const newConnector = () => insuranceConnector({ outbound: { allowPrivate: true }, clock: () => now })

const clinicWith = ({ url }: InsuranceSystem, more: Partial<InsuranceSettings> = {}): ClinicSettings => ({
  name: 'A',
  timeZone: 'UTC',
  defaultRegion: 'US',
  dialedNumbers: [],
  policies: { overbooking: false, slotTakenStatus: 409 },
  insurance: { enabled: true, url, token: TOKEN, deadlineMs: 100, ...more },
})

const set = (settings: ClinicSettings, clinic = 'a') =>
  store.repository.change(clinic, (unit) => writeSettings(unit, settings))

const newPatient = async (clinic = 'a') =>
  (await store.access(clinic).change((ctx) => ctx.create<Patient>({ resourceType: 'Patient' }))).id

const submit = async (memberId = 'M-1234', of = patient, clinic = 'a') =>
  (await submitInsuranceInfo.handler({
    access: store.access(clinic),
    input: { payerName: 'Acme Health', memberId },
    type: 'Patient',
    id: of,
    repeatKey: `key-${tokens++}`,
    integrations: { insurance, crm: none, messages: none },
  })) as { readonly status: string }

const none = { deliver: async () => ({ delivered: true }) as const }

const background = (parts: Partial<InquiryServices> = {}) =>
  insuranceInquiries({
    repository: store.repository,
    insurance,
    accessOf: store.access,
    logger: pino({ level: 'silent' }),
    ...parts,
  })

function wait(milliseconds: number) {
  now += milliseconds
  store.setTime(now)
}

async function askAgain(after = 0): Promise<void> {
  wait(after)
  await background().workOnDue()
}

const all = async <R extends Coverage | CoverageEligibilityResponse | Task>(
  type: R['resourceType'],
  clinic = 'a',
): Promise<readonly R[]> =>
  (await (await store.access(clinic).reader()).search<R>(type, '_sort=_lastUpdated')).map(({ resource }) => resource)
const responses = (clinic = 'a') => all<CoverageEligibilityResponse>('CoverageEligibilityResponse', clinic)
const coverages = () => all<Coverage>('Coverage')
const tasks = (clinic = 'a') => all<Task>('Task', clinic)
const inquiries = (clinic = 'a') => store.repository.records(INQUIRY, { clinic, limit: 10 })

const statusOf = (response: CoverageEligibilityResponse | undefined) =>
  response?.extension?.find(({ url }) => url === STATUS)?.valueCode

describe('an answer that comes later', () => {
  test('updates the record, and raises one Task to tell the patient', async () => {
    expect(await submit()).toMatchObject({ success: true, status: 'PENDING' })
    expect(await responses()).toMatchObject([{ outcome: 'queued' }])
    expect(await coverages()).toMatchObject([{ status: 'draft' }])
    system.answer(VERIFIED)
    await askAgain(SOON)
    const [coverage] = await coverages()
    expect(coverage).toMatchObject({ status: 'active', meta: { versionId: '2' } })
    expect(await responses()).toMatchObject([
      {
        outcome: 'complete',
        disposition: 'VERIFIED',
        insurance: [{ inforce: true, item: [{ benefit: [{ allowedMoney: { value: 25 } }] }] }],
      },
    ])
    expect((await responses()).map(statusOf)).toEqual(['VERIFIED'])
    const [task, ...more] = await tasks()
    expect(more).toEqual([])
    expect(task).toMatchObject({
      status: 'requested',
      focus: { reference: `Patient/${patient}` },
      description: 'The insurer has responded: VERIFIED. Please tell the patient the result.',
    })
    expect(attachedTo(task)).toMatchObject({
      'insurance-status': ['VERIFIED'],
      coverage: [{ reference: `Coverage/${coverage?.id}` }],
    })
  })

  test('is asked for under the key of the first question, and once', async () => {
    await submit()
    system.answer(VERIFIED)
    await askAgain(SOON - 1)
    expect(system.asked).toHaveLength(1)
    await askAgain(1)
    await askAgain(ASK_FOR)
    expect([system.asked.length, system.keys().length]).toEqual([2, 1])
    expect(new Set(system.asked.map(({ body }) => body)).size).toBe(1)
    expect(await inquiries()).toEqual([])
    expect(await tasks()).toMatchObject([{ meta: { versionId: '2' } }])
  })

  test('is recorded once, however many processes ask', async () => {
    await submit()
    system.answer(VERIFIED)
    wait(SOON)
    await Promise.all([background(), background(), background()].map((one) => one.workOnDue()))
    expect(system.asked).toHaveLength(2)
    expect(await tasks()).toMatchObject([{ meta: { versionId: '2' } }])
    expect(await responses()).toMatchObject([{ meta: { versionId: '2' } }])
  })

  test('is asked for by another process when the one that asked has died, as soon as its lease ends', async () => {
    await submit()
    wait(SOON)
    const dying = background({
      insurance: {
        verify: async (question, exchange) => {
          await insurance.verify(question, exchange)
          throw new TypeError('gone')
        },
      },
    })
    system.answer(VERIFIED)
    await dying.workOnDue()
    await askAgain(LEASE - 1)
    expect(system.asked).toHaveLength(2)
    await askAgain(1)
    expect([system.asked.length, system.keys().length]).toEqual([3, 1])
    expect(await tasks()).toMatchObject([{ meta: { versionId: '2' } }])
  })

  test('that says that the coverage is not active is recorded, and leaves the Coverage as it is', async () => {
    await submit()
    system.answer({ body: { status: 'INACTIVE', errorMessage: 'The policy has ended' } })
    await askAgain(SOON)
    expect(await coverages()).toMatchObject([{ status: 'draft', meta: { versionId: '1' } }])
    expect(await responses()).toMatchObject([{ outcome: 'complete', disposition: 'The policy has ended' }])
    expect(await tasks()).toMatchObject([{ description: expect.stringContaining('INACTIVE') }])
  })

  test('opens the Task again that staff have closed', async () => {
    await submit()
    const [raised] = await tasks()
    await store.access('a').change((ctx) => ctx.update<Task>({ ...(raised as Task), status: 'completed' }))
    system.answer(VERIFIED)
    await askAgain(SOON)
    expect(await tasks()).toMatchObject([{ id: raised?.id, status: 'requested' }])
  })

  test('goes to the patient whose Coverage it is by then', async () => {
    await submit()
    const other = await newPatient()
    const [coverage] = await coverages()
    const beneficiary = { reference: `Patient/${other}` }
    await store.access('a').change((ctx) => ctx.update<Coverage>({ ...(coverage as Coverage), beneficiary }))
    system.answer(VERIFIED)
    await askAgain(SOON)
    expect(await tasks()).toMatchObject([{ focus: beneficiary }])
  })

  test('is left when staff have deleted the Coverage', async () => {
    await submit()
    const [coverage] = await coverages()
    await store.access('a').change((ctx) => ctx.delete('Coverage', coverage?.id ?? ''))
    system.answer(VERIFIED)
    await askAgain(SOON)
    expect([await coverages(), await inquiries()]).toEqual([[], []])
    expect((await responses()).map(statusOf)).toEqual(['PENDING'])
  })
})

describe('a system that says PENDING', () => {
  // The deadline is long, so that a busy machine meets it too.
  beforeEach(() => set(clinicWith(system, { deadlineMs: 10_000 })))

  test('is asked again with growing waits until it gives a result', async () => {
    system.answer(PENDING)
    expect(await submit()).toMatchObject({ status: 'PENDING' })
    await askAgain(MINUTE - 1)
    expect(system.asked).toHaveLength(1)
    await askAgain(1)
    await askAgain(MINUTE - 1)
    expect(system.asked).toHaveLength(2)
    await askAgain(1)
    await askAgain(2 * MINUTE)
    expect(system.asked).toHaveLength(4)
    expect(await tasks()).toMatchObject([{ meta: { versionId: '1' } }])
    system.answer(VERIFIED)
    await askAgain(4 * MINUTE)
    expect((await responses()).map(statusOf)).toEqual(['VERIFIED'])
    expect(system.keys()).toHaveLength(1)
  })

  test('is asked when it says', async () => {
    system.answer({ ...PENDING, headers: { 'retry-after': '300' } })
    await submit()
    await askAgain(5 * MINUTE - 1)
    expect(system.asked).toHaveLength(1)
    await askAgain(1)
    expect(system.asked).toHaveLength(2)
  })
})

describe('where the caller turns out to be somebody else', () => {
  const ruth = { resourceType: 'Patient', name: [{ given: ['Ruth'] }] } as const satisfies Patient
  const integrations = () => ({ insurance, crm: none, messages: none })
  const inCall = () => ({
    access: store.access('a'),
    call: { clinic: 'a', callId: 'c', patient },
    integrations: integrations(),
  })
  const submitInCall = () =>
    submitInsuranceInfo.handler({ ...inCall(), input: { payerName: 'Acme Health', memberId: 'M-1234' } })
  const sayOtherName = () => updateRegistrationField.handler({ ...inCall(), input: { firstName: 'Harold' } })
  const byPatient = async () =>
    (await responses()).map((one) => [one.patient.reference === `Patient/${patient}`, one.status, statusOf(one)])

  beforeEach(async () => {
    const created = await store.access('a').change((ctx) => ctx.create<Patient>({ ...ruth, name: [...ruth.name] }))
    patient = created.id
  })

  test('what is pending is asked for the caller alone', async () => {
    await submitInCall()
    await sayOtherName()
    expect(await inquiries()).toHaveLength(1)
    system.answer(VERIFIED)
    await askAgain(MINUTE)
    expect(await inquiries()).toEqual([])
    expect(system.keys()).toHaveLength(1)
    expect(await byPatient()).toEqual([
      [true, 'entered-in-error', 'PENDING'],
      [false, 'active', 'VERIFIED'],
    ])
  })

  test('a result that came before that is taken back too', async () => {
    await submitInCall()
    system.answer(VERIFIED)
    await askAgain(SOON)
    await sayOtherName()
    await askAgain(MINUTE)
    expect(await byPatient()).toEqual([
      [true, 'entered-in-error', 'VERIFIED'],
      [false, 'active', 'VERIFIED'],
    ])
    expect((await coverages()).map(({ status }) => status).sort()).toEqual(['active', 'entered-in-error'])
    const followUps = (await tasks()).filter(({ code }) => code?.coding?.[0]?.code === 'insurance-follow-up')
    expect(followUps.map(({ status }) => status).sort()).toEqual(['entered-in-error', 'requested'])
  })
})

describe('a system that goes on without an answer that can be used', () => {
  test.each([
    ['is slow', PENDING],
    ['is broken', { status: 500 }],
    ['gives garbage', { body: '<html>' }],
  ] as const)('and %s is asked for a day, then staff are told', async (_what, told) => {
    await submit()
    system.answer(told)
    await askAgain(SOON)
    expect(await inquiries()).toHaveLength(1)
    insurance = newConnector()
    await askAgain(ASK_FOR)
    expect(await inquiries()).toEqual([])
    expect(await responses()).toMatchObject([
      { outcome: 'error', disposition: 'The insurer gave no result within 24 hours' },
    ])
    expect((await responses()).map(statusOf)).toEqual(['PAYER_UNAVAILABLE'])
    expect(await tasks()).toMatchObject([
      { status: 'requested', description: expect.stringMatching(/verify the insurance again.*not asked again\.$/) },
    ])
    const { length } = system.asked
    await askAgain(ASK_FOR)
    expect(system.asked).toHaveLength(length)
  })

  test('because its credentials are refused is not asked again', async () => {
    await submit()
    await set(clinicWith(system, { token: 'another-token' }))
    system.answer(VERIFIED)
    await askAgain(SOON)
    expect(await inquiries()).toEqual([])
    expect(await tasks()).toMatchObject([{ description: expect.stringContaining('refuses the credentials') }])
  })
})

describe('a later verification of the same insurer and member id', () => {
  test('with a result ends the inquiry', async () => {
    await submit()
    system.answer(VERIFIED)
    await submit('m 1234')
    expect(await inquiries()).toEqual([])
    await askAgain(ASK_FOR)
    expect(system.asked).toHaveLength(2)
    expect((await responses()).map(statusOf)).toEqual(['PENDING', 'VERIFIED'])
    expect(await tasks()).toMatchObject([{ status: 'completed' }])
  })

  test('that is pending takes its place', async () => {
    await submit()
    await submit()
    system.answer(VERIFIED)
    await askAgain(SOON)
    expect(system.asked.map(({ headers }) => headers['idempotency-key'])).toEqual([
      system.keys()[0],
      system.keys()[1],
      system.keys()[1],
    ])
    expect((await responses()).map(statusOf)).toEqual(['PENDING', 'VERIFIED'])
  })

  test('that has a result while the system is asked is what stays', async () => {
    await submit()
    wait(SOON)
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const { promise: released, resolve: release } = Promise.withResolvers<void>()
    const waiting = background({
      insurance: {
        verify: async () => {
          arrive()
          await released
          return { status: 'INACTIVE' }
        },
      },
    }).workOnDue()
    await arrived
    system.answer(VERIFIED)
    await submit()
    release()
    await waiting
    expect((await responses()).map(statusOf)).toEqual(['PENDING', 'VERIFIED'])
    expect(await tasks()).toMatchObject([{ status: 'completed' }])
  })

  test('another member id has an inquiry of its own', async () => {
    await submit('M-1234')
    await submit('M-9999')
    expect(await inquiries()).toHaveLength(2)
  })
})

describe('the settings as they are when it is asked again', () => {
  test('name the address and the token', async () => {
    await submit()
    const moved = await startSystem(VERIFIED)
    await set(clinicWith(moved))
    await askAgain(SOON)
    expect([system.asked.length, moved.asked.length]).toEqual([1, 1])
    expect([...moved.keys()]).toEqual(system.keys())
    await moved.close()
  })

  test.each<[string, (settings: ClinicSettings) => ClinicSettings]>([
    ['have none any more', ({ insurance: _insurance, ...settings }) => settings],
    ['name the simulator', (settings) => ({ ...settings, insurance: { enabled: true, url: 'simulator' } })],
    [
      'have switched it off',
      (settings) => ({ ...settings, insurance: { ...(settings.insurance as InsuranceSettings), enabled: false } }),
    ],
  ])('the simulator never answers for the system of a clinic: they %s', async (_what, changed) => {
    await submit()
    const settings = clinicWith(system)
    await set(changed(settings))
    await askAgain(SOON)
    expect((await responses()).map(statusOf)).toEqual(['PENDING'])
    expect(await inquiries()).toHaveLength(1)
    await set(settings)
    system.answer(VERIFIED)
    await askAgain(MINUTE)
    expect((await responses()).map(statusOf)).toEqual(['VERIFIED'])
  })
})

describe('clinics', () => {
  test('ask their own system, with their own token, and record in their own data', async () => {
    const other = await startSystem(PENDING)
    await createClinic(store.repository, 'b', { ...clinicWith(other), name: 'B' })
    await submit()
    const ofOther = await newPatient('b')
    await submit('M-1234', ofOther, 'b')
    system.answer(VERIFIED)
    await askAgain(MINUTE)
    expect((await responses()).map(statusOf)).toEqual(['VERIFIED'])
    expect((await responses('b')).map(statusOf)).toEqual(['PENDING'])
    expect(system.asked.map(({ body }) => JSON.parse(body).clinic)).toEqual(['a', 'a'])
    expect(other.asked.map(({ body }) => JSON.parse(body).clinic)).toEqual(['b', 'b'])
    expect(await tasks('b')).toMatchObject([{ focus: { reference: `Patient/${ofOther}` } }])
    await other.close()
  })

  test('whose system does not answer hold back no other one', async () => {
    const other = await startSystem(VERIFIED)
    await createClinic(store.repository, 'b', { ...clinicWith(other), name: 'B' })
    for (let n = 0; n < 8; n++) await submit(`M-100${n}`)
    wait(1)
    other.answer('silent')
    await submit('M-1234', await newPatient('b'), 'b')
    other.answer(VERIFIED)
    wait(10 * MINUTE)
    const { promise: stopped, resolve: stop } = Promise.withResolvers<void>()
    const { promise: arrived, resolve: arrive } = Promise.withResolvers<void>()
    const slow: InsuranceVerification = {
      verify: async (question, exchange) => {
        if (question.clinic === 'a') await stopped
        else arrive()
        return await insurance.verify(question, exchange)
      },
    }
    const pass = background({ insurance: slow }).workOnDue()
    await arrived
    system.answer(VERIFIED)
    stop()
    await pass
    expect((await responses('b')).map(statusOf)).toEqual(['VERIFIED'])
    await other.close()
  })
})

test('what is logged names no member, no token and no patient', async () => {
  const lines: string[] = []
  await submit('ZANZIBAR-1')
  system.answer({ body: { status: 'INACTIVE', errorMessage: 'Zanzibar has no policy' } })
  wait(SOON)
  await background({ logger: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }) }).workOnDue()
  expect(lines).toHaveLength(1)
  expect(lines.join('')).toContain('INACTIVE')
  expect(lines.join('').toLowerCase()).not.toMatch(new RegExp(`zanzibar|${TOKEN}|${patient}`.toLowerCase()))
})

test('a server that is being stopped does not wait for a slow system, and the next one asks it', async () => {
  await submit()
  wait(SOON)
  const stopping = background()
  const pass = stopping.workOnDue()
  while (system.asked.length < 2) await new Promise((resolve) => setTimeout(resolve, 5))
  await stopping.stop()
  await pass
  expect((await inquiries()).map(({ due }) => due)).toEqual([now + LEASE])
  system.answer(VERIFIED)
  await askAgain(LEASE)
  expect((await responses()).map(statusOf)).toEqual(['VERIFIED'])
})
