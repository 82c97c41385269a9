/** A new patient's phone call of twelve tool calls: registered, insured, taken in and booked. */
import { Agent, request } from 'node:http'
import { birthDateOf, familyOf, givenOf, phoneOf } from '../data-set.ts'
import { VOICE_SECRET } from '../emr.ts'
import { CALENDARS, familyOfPractitioner } from '../scheduling/calendars.ts'
import { DIALED } from '../tool-scenarios.ts'

type Result = Readonly<Record<string, unknown>>

interface Step {
  readonly family: string
  readonly tool: string
  /** The arguments of caller `n`; `before` is the result of the previous step. */
  readonly argumentsOf: (n: number, before: Result) => Result
}

const journey = (tool: string, argumentsOf: Step['argumentsOf']): Step => ({
  family: 'patient-journey',
  tool,
  argumentsOf,
})
const intake = (tool: string, argumentsOf: Step['argumentsOf']): Step => ({
  family: 'patient-intake',
  tool,
  argumentsOf,
})
const visit = (tool: string, argumentsOf: Step['argumentsOf']): Step => ({
  family: 'emr-scheduling',
  tool,
  argumentsOf,
})

const spokenEmail = (n: number): string => `${familyOf(n)} dot ${n} at mail dot example`.toLowerCase()

const DAYS = ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday']

/**
 * Simultaneous callers who want the same practitioner want different days, so that they do not take each other's times.
 */
const dayOf = (n: number): string => `any ${DAYS[Math.floor(n / CALENDARS) % DAYS.length]}`

/** The steps of a whole call, in order. */
const STEPS: readonly Step[] = [
  journey('resolve_patient_identity', (n) => ({
    statedName: `${givenOf(n)} ${familyOf(n)}`,
    statedPhone: phoneOf(n),
  })),
  journey('update_registration_field', (n) => ({
    firstName: givenOf(n),
    lastName: familyOf(n),
    phone: phoneOf(n),
  })),
  intake('validate_intake_field', (n) => ({ fieldName: 'email', value: spokenEmail(n) })),
  journey('update_registration_field', (n) => ({
    email: spokenEmail(n),
    preferredLocation: 'Maple Street',
    medicareStatus: 'no',
  })),
  journey('submit_insurance_info', (n) => ({ payerName: 'Acme Health', memberId: `ACM-${1_000_000 + n}` })),
  journey('record_self_pay_decision', () => ({ decision: 'self_pay_continue', selfPayPriceCents: 12_900 })),
  journey('escalate_billing', () => ({ reason: 'The caller wants to know what the visit costs.' })),
  journey('update_registration_field', () => ({
    healthPlanName: 'Acme Health',
    referralSource: 'a friend',
    commsConsent: 'yes sure',
  })),
  intake('submit_intake', (n) => ({
    firstName: givenOf(n),
    lastName: familyOf(n),
    dateOfBirth: birthDateOf(n),
    phone: phoneOf(n),
    email: spokenEmail(n),
    address: '12 Maple Street, Springfield',
    reasonForVisit: 'a cough for two weeks',
  })),
  visit('get_clinic_info', () => ({ topic: 'hours' })),
  visit('find_available_slots', (n) => ({ practitionerName: `Dr. ${familyOfPractitioner(n)}`, when: dayOf(n) })),
  visit('book_appointment', (_n, before) => ({
    slotKey: (before.slots as readonly { readonly slotKey: string }[] | undefined)?.[0]?.slotKey ?? 'none',
    reason: 'a cough',
  })),
]

export interface TimedStep {
  readonly tool: string
  readonly milliseconds: number
}

/** The keep-alive connections of a platform. */
export const platform = (connections: number): Agent => new Agent({ keepAlive: true, maxSockets: connections })

/**
 * Plays the call of caller `n`.
 * @param pause awaited before each step but the first
 * @throws Error naming the tool that did not succeed
 */
export async function playWholeCall(
  url: string,
  agent: Agent,
  n: number,
  pause: () => Promise<void> = async () => {},
): Promise<readonly TimedStep[]> {
  const timed: TimedStep[] = []
  let before: Result = {}
  for (const [index, { family, tool, argumentsOf }] of STEPS.entries()) {
    if (index > 0) await pause()
    const toolCalls = [{ id: `${n}-${index}`, function: { arguments: argumentsOf(n, before) } }]
    const start = performance.now()
    const text = await post(new URL(`/${family}/${tool}`, url), agent, n, JSON.stringify({ message: { toolCalls } }))
    timed.push({ tool, milliseconds: performance.now() - start })
    before = resultIn(text)
    if ((before.success ?? before.valid) !== true) throw new Error(`${tool} was answered with ${text.slice(0, 500)}`)
  }
  return timed
}

const resultIn = (text: string): Result =>
  JSON.parse((JSON.parse(text) as { results: readonly { result: string }[] }).results[0]?.result ?? '{}')

function post(address: URL, agent: Agent, n: number, body: string): Promise<string> {
  const headers = {
    'content-type': 'application/json',
    'x-voice-secret': VOICE_SECRET,
    'x-call-id': `whole-call-${n}`,
    'x-call-to': DIALED,
    'x-call-from': phoneOf(n),
  }
  return new Promise((resolve, reject) => {
    const sent = request(address, { method: 'POST', agent, headers }, async (response) => {
      const text = Buffer.concat(await response.toArray()).toString()
      if (response.statusCode === 200) resolve(text)
      else reject(new Error(`${address.pathname} was answered ${response.statusCode}: ${text.slice(0, 500)}`))
    })
    sent.once('error', reject).end(body)
  })
}
