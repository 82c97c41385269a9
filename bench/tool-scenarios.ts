/** Scenarios for the live-call tools: each connection is a phone call, followed by a new one after a few requests. */
import { birthDateOf, familyOf, givenOf, phoneOf } from './data-set.ts'
import type { HttpRequest, Traffic } from './load.ts'
import type { Scenario } from './scenario.ts'
import {
  type Arguments,
  COMPARED_DOORS,
  DOORS,
  type Door,
  doorScenario,
  LIST_TOOLS,
  type Result,
} from './tool-doors.ts'

interface Tool {
  readonly name: string
  readonly family: 'patient-journey' | 'patient-intake'
  /** The arguments of request number `step` in the call of caller `n`. */
  readonly argumentsOf: (n: number, step: number) => Arguments
}

const REQUESTS_PER_CALL = 4
/** Requests per second: each of 16 calls uses a tool once per second, all at the same time. */
const BURST_RATE = 16
/** More connections than are ever used, so that connection and count combine to a unique number. */
const MAX_CONNECTIONS = 64
/** The demo clinic's dialled number. */
export const DIALED = '+12125550100'

const details = (n: number) => ({
  firstName: givenOf(n),
  lastName: familyOf(n),
  phone: phoneOf(n),
  email: `caller-${n}@mail.example`,
})

const VALIDATE: Tool = {
  name: 'validate_intake_field',
  family: 'patient-intake',
  argumentsOf: (n, step) =>
    step % 2 === 0
      ? { fieldName: 'email', value: `caller ${n} at mail dot example` }
      : { fieldName: 'dateOfBirth', value: birthDateOf(n) },
}

const TOOLS: readonly Tool[] = [
  {
    name: 'resolve_patient_identity',
    family: 'patient-journey',
    argumentsOf: (n, step) => ({
      statedName: `${givenOf(n + step)} ${familyOf(n + step)}`,
      statedPhone: phoneOf(n + step),
    }),
  },
  {
    name: 'update_registration_field',
    family: 'patient-journey',
    argumentsOf: (n, step) => {
      const { email, phone, ...names } = details(n)
      return (
        [
          names,
          { phone, email },
          { healthPlanName: 'Acme Health', commsConsent: true },
          { referralSource: 'a friend' },
        ][step] ?? {}
      )
    },
  },
  {
    name: 'submit_insurance_info',
    family: 'patient-journey',
    argumentsOf: (n, step) => ({ payerName: 'Acme Health', memberId: `ACM-${n}${step}`, groupId: 'G-100' }),
  },
  {
    name: 'record_self_pay_decision',
    family: 'patient-journey',
    argumentsOf: (_n, step) => ({ decision: 'self_pay_continue', selfPayPriceCents: 12_500 + step }),
  },
  {
    name: 'escalate_billing',
    family: 'patient-journey',
    argumentsOf: (n, step) => ({ reason: `The caller disputes invoice ${n}-${step}` }),
  },
  VALIDATE,
  {
    name: 'submit_intake',
    family: 'patient-intake',
    argumentsOf: (n, step) => ({
      ...details(n),
      dateOfBirth: birthDateOf(n),
      address: '12 Maple Street, Springfield',
      reasonForVisit: `A cough since ${step + 2} days`,
    }),
  },
]

export const toolScenarios = (voiceSecret: string): readonly Scenario[] => [
  ...TOOLS.flatMap((tool): readonly Scenario[] => {
    const scenario: Scenario = {
      name: tool.name,
      traffic: { kind: 'fresh', next: (connection, n) => request(tool, voiceSecret, connection, n) },
      target: { kind: 'p99', below: 10 },
      problemOf: problemOfResult,
    }
    return [scenario, { ...scenario, name: `${tool.name}, bursts`, rate: BURST_RATE }]
  }),
  ...COMPARED_DOORS.map(
    (door): Scenario => ({
      name: doorScenario(door),
      traffic: doorTraffic(door, voiceSecret),
      target: { kind: 'p99', below: 25 },
      problemOf: (text) => problemIn(DOORS[door].resultIn(JSON.parse(text))),
    }),
  ),
  {
    name: 'tools/list by MCP',
    traffic: { kind: 'repeated', requests: [withSecret(LIST_TOOLS, voiceSecret)] },
    target: { kind: 'p99', below: 25 },
  },
]

function request(
  { name, family, argumentsOf }: Tool,
  voiceSecret: string,
  connection: number,
  n: number,
  door: Door = 'envelope',
): HttpRequest {
  const call = Math.floor(n / REQUESTS_PER_CALL) * MAX_CONNECTIONS + connection
  const args = argumentsOf(call, n % REQUESTS_PER_CALL)
  const prefix = `${door.replaceAll(' ', '-')}-${name}`
  const toolCallId = `${prefix}-${connection}-${n}`
  const { headers, ...sent } = withSecret(DOORS[door].requestOf({ name, family }, args, toolCallId), voiceSecret)
  const ofCall = { 'x-call-id': `${prefix}-${call}`, 'x-call-to': DIALED, 'x-call-from': phoneOf(call) }
  return { ...sent, headers: { ...headers, ...ofCall } }
}

const withSecret = (request: HttpRequest, voiceSecret: string): HttpRequest => ({
  ...request,
  headers: { 'content-type': 'application/json', 'x-voice-secret': voiceSecret, ...request.headers },
})

/** Calls of a tool whose own work is small, by a door. */
export const doorTraffic = (door: Door, voiceSecret: string): Traffic => ({
  kind: 'fresh',
  next: (connection, n) => request(VALIDATE, voiceSecret, connection, n, door),
})

/** A tool always responds with 200; the body tells whether it succeeded. */
export const problemOfResult = (text: string): string | undefined =>
  problemIn(DOORS.envelope.resultIn(JSON.parse(text)))

const problemIn = (result: Result): string | undefined =>
  (result.success ?? result.valid) === true ? undefined : `the result ${JSON.stringify(result)}`
