/** Scenarios for the live-call tools: each connection is a phone call, followed by a new one after a few requests. */
import { birthDateOf, familyOf, givenOf, phoneOf } from './data-set.ts'
import type { HttpRequest } from './load.ts'
import type { Scenario } from './scenario.ts'

type Arguments = Readonly<Record<string, unknown>>

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
  {
    name: 'validate_intake_field',
    family: 'patient-intake',
    argumentsOf: (n, step) =>
      step % 2 === 0
        ? { fieldName: 'email', value: `caller ${n} at mail dot example` }
        : { fieldName: 'dateOfBirth', value: birthDateOf(n) },
  },
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

export const toolScenarios = (voiceSecret: string): readonly Scenario[] =>
  TOOLS.flatMap((tool): readonly Scenario[] => {
    const scenario: Scenario = {
      name: tool.name,
      traffic: { kind: 'fresh', next: (connection, n) => request(tool, voiceSecret, connection, n) },
      target: { kind: 'p99', below: 10 },
      problemOf: problemOfResult,
    }
    return [scenario, { ...scenario, name: `${tool.name}, bursts`, rate: BURST_RATE }]
  })

function request({ name, family, argumentsOf }: Tool, voiceSecret: string, connection: number, n: number): HttpRequest {
  const call = Math.floor(n / REQUESTS_PER_CALL) * MAX_CONNECTIONS + connection
  const toolCall = {
    id: `${name}-${connection}-${n}`,
    function: { arguments: argumentsOf(call, n % REQUESTS_PER_CALL) },
  }
  return {
    method: 'POST',
    path: `/${family}/${name}`,
    headers: {
      'content-type': 'application/json',
      'x-voice-secret': voiceSecret,
      'x-call-id': `${name}-${call}`,
      'x-call-to': DIALED,
      'x-call-from': phoneOf(call),
    },
    body: JSON.stringify({ message: { toolCalls: [toolCall] } }),
  }
}

/** A tool always responds with 200; the body tells whether it succeeded. */
export function problemOfResult(text: string): string | undefined {
  const { results } = JSON.parse(text) as { results: readonly { readonly result: string }[] }
  const result = JSON.parse(results[0]?.result ?? '{}') as { readonly success?: boolean; readonly valid?: boolean }
  return (result.success ?? result.valid) === true ? undefined : `the result ${JSON.stringify(result)}`
}
