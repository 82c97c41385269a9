/**
 * Random calls of people who share numbers: they overlap, change who speaks, misspell their names, use nicknames and hang up.
 * No record, nor any resource that refers to it, ever mixes data of two people. Calls in which the next person speaks
 * before anybody has given their name are left out, as nothing tells the two apart.
 */
import { afterAll, beforeAll, expect, test } from '@jest/globals'
import fc from 'fast-check'
import type { Bundle, FhirResource, Patient } from 'fhir/r4'
import { randomRuns, tryProperty } from '../../support/random-runs.ts'
import { request } from '../../support/server.ts'
import { ALL_FIELDS, INTAKE } from '../caller.ts'
import { startVisits, type VisitCaller, type Visits } from '../tools/visits.ts'

const RUNS = { least: 3, most: randomRuns(100, { short: 0.1, long: 1, full: 1 }) }

interface Person {
  /** As they say it, the first one most often. */
  readonly given: readonly string[]
  readonly family: readonly string[]
  readonly birthDate: string
  /** Part of data that is unique to the person: e-mail address, member id, reason for the visit. */
  readonly mark: string
}

/** A brother and a sister, and two people with one first name. */
const PEOPLE: readonly Person[] = [
  { given: ['William', 'Bill'], family: ['Larkin', 'Larkins'], birthDate: '2015-05-06', mark: 'quartz' },
  { given: ['Theodora', 'Theodorah'], family: ['Larkin', 'Larken'], birthDate: '2015-05-06', mark: 'basalt' },
  { given: ['Gregory', 'Greg', 'Gregori'], family: ['Pettibone', 'Petibone'], birthDate: '1970-06-09', mark: 'marble' },
  { given: ['Nadia', 'Nadya'], family: ['Winterbourne'], birthDate: '1980-03-03', mark: 'granite' },
  { given: ['William', 'Will'], family: ['Vasquez', 'Vasques'], birthDate: '1933-11-12', mark: 'obsidian' },
  { given: ['Harold', 'Harry'], family: ['Okonkwo'], birthDate: '1980-03-03', mark: 'gypsum' },
]
const personAt = (at: number): Person => PEOPLE[at] ?? fail(`there is no person ${at}`)

const NAMING = ['intake', 'name', 'firstName', 'register'] as const
const OTHERS = [
  'email',
  'lastName',
  'insurance',
  'selfPay',
  'escalation',
  'resolve',
  'visit',
  'waitlist',
  'formDay',
  'formName',
] as const
type Say = (typeof NAMING)[number] | (typeof OTHERS)[number]
const isNaming = (say: Say): boolean => NAMING.some((one) => one === say)

const step = fc.record({
  line: fc.nat({ max: 2 }),
  person: fc.nat({ max: PEOPLE.length - 1 }),
  say: fc.constantFrom<Say>(...NAMING, ...OTHERS),
  form: fc.nat({ max: 2 }),
  hangsUp: fc.nat({ max: 3 }).map((one) => one === 0),
  /** For a new call: the person whose unfinished form or registration it is about. */
  about: fc.option(fc.nat({ max: PEOPLE.length - 1 }), { freq: 4 }),
})
type Step = typeof step extends fc.Arbitrary<infer S> ? S : never

/** A Monday; a millisecond later each time, so that there is an order. */
let now = Date.parse('2025-03-03T12:00:00Z')
let visits: Visits
beforeAll(async () => {
  visits = await startVisits({ clock: () => ++now })
})
afterAll(() => visits.server.close())

function fail(message: string): never {
  throw new Error(message)
}

interface Line {
  readonly caller: VisitCaller
  readonly about: number | undefined
  speaker: number | undefined
  /** Whether the speaker has given their name. */
  isNamed: boolean
}

let run = 0

class Office {
  readonly #lines: (Line | undefined)[] = []
  /** In registrations people state their own numbers; an intake has that of the office. */
  readonly #isRegistering: boolean
  readonly #number: string
  readonly #said: string[] = []

  constructor(isRegistering: boolean) {
    run += 1
    this.#number = `+1212556${String(1000 + run)}`
    this.#isRegistering = isRegistering
  }

  async take({ line: at, person, say, form, hangsUp, about }: Step): Promise<void> {
    const line = this.#lines[at] ?? (await this.#newLine(at, about ?? undefined))
    this.#lines[at] = line
    // The speaker does not change before giving a name.
    const speaker = line.isNamed ? person : (line.speaker ?? person)
    if (line.speaker !== undefined && line.speaker !== speaker && !isNaming(say))
      await this.#say(line, speaker, 'name', form)
    await this.#say(line, speaker, say, form)
    if (hangsUp) await this.#hangUp(at)
  }

  async close(): Promise<void> {
    for (const at of this.#lines.keys()) await this.#hangUp(at)
  }

  /** The marks in member ids and reasons for visits that were recorded. */
  get said(): readonly string[] {
    return this.#said
  }

  async #newLine(at: number, about: number | undefined): Promise<Line> {
    const from = at === 2 ? 'anonymous' : this.#number
    const caller = visits.caller(about === undefined ? from : undefined)
    if (about !== undefined) await abandon(caller.id, personAt(about))
    return { caller, about, speaker: undefined, isNamed: false }
  }

  async #hangUp(at: number): Promise<void> {
    const line = this.#lines[at]
    if (line === undefined) return
    const isAnswered = line.about !== undefined && line.speaker !== undefined && line.speaker !== line.about
    // A person who speaks for somebody else finally gives their own name, the only thing that tells them apart.
    if (isAnswered && !line.isNamed) await this.#say(line, line.speaker ?? 0, 'name', 0)
    await line.caller.end()
    this.#lines[at] = undefined
  }

  async #say(line: Line, speaker: number, say: Say, form: number): Promise<void> {
    const { given, family, birthDate, mark } = personAt(speaker)
    const [firstName = '', lastName = ''] = [given[form] ?? given[0], family[form] ?? family[0]]
    const email = `${mark}@example.com`
    const own = `+1212557${String(1000 + run)}`.slice(0, -1) + speaker
    line.speaker = speaker
    line.isNamed ||= isNaming(say)
    const use = (tool: string, args: object) => line.caller.use(tool, args)
    const update = (args: object) => use('update_registration_field', args)
    switch (say) {
      case 'intake': {
        const phone = this.#isRegistering ? own : this.#number
        const reasonForVisit = `a pain of ${mark}`
        const all = { ...INTAKE, firstName, lastName, dateOfBirth: birthDate, phone, email, reasonForVisit }
        return expectSuccess(await use('submit_intake', { ...all, address: `12 ${mark} street` }))
      }
      case 'register': {
        const all = { ...ALL_FIELDS, firstName, lastName, email, referralSource: mark, phone: own }
        return expectSuccess(
          await update(this.#isRegistering ? all : { ...all, commsConsent: undefined, phone: undefined }),
        )
      }
      case 'firstName':
        // Two people share this first name, so it does not identify one.
        return expectSuccess(await update(given[0] === 'William' ? { firstName, lastName } : { firstName }))
      case 'name':
        return expectSuccess(await update({ firstName, lastName }))
      case 'lastName':
        return expectSuccess(await update({ lastName }))
      case 'email':
        return expectSuccess(await update({ email }))
      case 'insurance':
        await use('submit_insurance_info', { payerName: 'Acme Health', memberId: `${mark}-1234`.toUpperCase() })
        this.#said.push(`${mark}-1234`.toUpperCase())
        return
      case 'selfPay':
        return expectSuccess(await use('record_self_pay_decision', { decision: 'self_pay_continue' }))
      case 'escalation':
        return expectSuccess(await use('escalate_billing', { reason: `a bill of ${mark}` }))
      case 'resolve':
        return expectSuccess(await use('resolve_patient_identity', { statedName: `${firstName} ${lastName}` }))
      case 'visit': {
        const reason = `a visit of ${mark}`
        const booked = await use('book_appointment', { slotKey: await line.caller.slotKey(), reason })
        if (booked.success === true && booked.code === undefined) this.#said.push(reason)
        return
      }
      case 'waitlist':
        return expectSuccess(await use('join_waitlist', { when: 'any morning' }))
      case 'formDay':
        await use('save_recovery_field', { fieldName: 'preferredDay', value: `the day of ${mark}` })
        return
      case 'formName':
        // Two people share this first name, so it does not identify one.
        line.isNamed ||= line.about !== undefined && firstName !== 'William' && given[0] !== 'William'
        await use('save_recovery_field', { fieldName: 'firstName', value: firstName })
    }
  }
}

const expectSuccess = (result: Record<string, unknown>): void => expect(result).toMatchObject({ success: true })

/** A call of that id is registered about it. */
async function abandon(callId: string, { given, family, mark }: Person): Promise<void> {
  const headers = { 'x-voice-secret': 'demo-secret', 'content-type': 'application/json' }
  const post = (path: string, body: object) => request(visits.server.url, 'POST', path, body, headers)
  const [kind, more] = run % 2 === 0 ? ['form', { preferredDay: null, note: mark }] : ['registration', {}]
  const fields = { firstName: given[0], lastName: family[0], ...more }
  const contact = { email: `${mark}@example.com` }
  const { id } = (await post('/abandonments', { kind, stepReached: 'x', fields, contact, consent: true })).body
  const { status } = await post('/calls', { callId, dialedNumber: '+12125550100', abandonment: id })
  expect(status).toBe(201)
}

const TYPES = [
  'Patient',
  'Appointment',
  'Communication',
  'Consent',
  'Coverage',
  'CoverageEligibilityRequest',
  'CoverageEligibilityResponse',
  'Encounter',
  'QuestionnaireResponse',
  'Task',
]

/** The resources written since then, except those entered in error. */
async function writtenSince(start: string): Promise<readonly FhirResource[]> {
  const queries = TYPES.map((type) => `${type}?_lastUpdated=ge${start}&_count=1000`)
  const bundles = (await Promise.all(
    queries.map((query) => visits.read(query)),
  )) as unknown as readonly Bundle<FhirResource>[]
  const all = bundles.flatMap(({ entry = [] }) => entry.flatMap(({ resource }) => resource ?? []))
  return all.filter((one) => !('status' in one && one.status === 'entered-in-error'))
}

/** Whether a Task compares two records for staff, and so names both. */
const comparesTwo = (resource: FhirResource): boolean => JSON.stringify(resource).includes('"identity-contradiction"')

const isNamed = ({ name: [{ given, family } = {}] = [] }: Patient, person: Person): boolean =>
  (given?.[0] === undefined || person.given.includes(given[0])) &&
  (family === undefined || person.family.includes(family))

function expectOnePerson(patient: Patient, all: readonly FhirResource[]): void {
  const reference = new RegExp(`"Patient/${patient.id}"`)
  const own = [patient, ...all.filter((one) => reference.test(JSON.stringify(one)) && !comparesTwo(one))]
  const text = JSON.stringify(own).toLowerCase()
  const people = PEOPLE.filter(({ mark }) => text.includes(mark))
  const { birthDate } = patient
  const may = PEOPLE.filter(
    (person) =>
      isNamed(patient, person) &&
      (birthDate === undefined || birthDate === person.birthDate) &&
      people.every((one) => one === person),
  )
  if (may.length === 0) throw new Error(`Two people are on one record: ${JSON.stringify(own, null, 1)}`)
}

test('no record ever holds what two people said, and nothing that was taken down is lost', async () => {
  await tryProperty(
    RUNS,
    fc.asyncProperty(fc.boolean(), fc.array(step, { minLength: 2, maxLength: 14 }), async (isRegistering, steps) => {
      const start = new Date(now).toISOString()
      const office = new Office(isRegistering)
      for (const one of steps) await office.take(one)
      await office.close()
      const all = await writtenSince(start)
      for (const one of all) if (one.resourceType === 'Patient') expectOnePerson(one, all)
      const text = JSON.stringify(all.filter(({ resourceType }) => ['Coverage', 'Appointment'].includes(resourceType)))
      for (const one of office.said) expect(text).toContain(one)
      for (const one of all)
        if (one.resourceType === 'Appointment') await visits.server.fhir('DELETE', `/Appointment/${one.id}`)
    }),
  )
})
