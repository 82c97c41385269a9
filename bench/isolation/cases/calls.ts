/** Requests of a voice platform. */
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { VOICE_SECRET } from '../../emr.ts'
import {
  type Attack,
  flood,
  type HostileCase,
  type HostileRequest,
  inParallel,
  type Target,
  times,
} from '../hostile-case.ts'
import { HOSTILE_CLINIC, HOSTILE_NUMBER } from '../hostile-clinic.ts'

type Arguments = Readonly<Record<string, unknown>>

const post = (path: string, call: string, body: object, from = '+16462000001'): HostileRequest => ({
  method: 'POST',
  path,
  headers: {
    'content-type': 'application/json',
    'x-voice-secret': VOICE_SECRET,
    'x-call-id': call,
    'x-call-to': HOSTILE_NUMBER,
    'x-call-from': from,
  },
  body: JSON.stringify(body),
  anonymous: true,
})

const toolCalls = (tool: string, call: string, count: number, argumentsOf: (n: number) => Arguments): HostileRequest =>
  post(`/${tool}`, call, {
    message: { toolCalls: times(count, (n) => ({ id: `${call}-${n}`, function: { arguments: argumentsOf(n) } })) },
  })

const ofTools = (parallel: number, count: number, make: (n: number) => HostileRequest): Attack =>
  inParallel(parallel, times(count, make))

/** Gives the clinic a verification system that accepts connections and never responds, and makes many calls use it. */
const askingSilentSystem = (calls: number, seconds: number): Attack => ({
  kind: 'program',
  run: async (target) => {
    const system = createServer()
    await new Promise<void>((resolve) => system.listen(0, '127.0.0.1', resolve))
    try {
      await useSystem(target, system)
      const until = performance.now() + seconds * 1000
      const keepAsking = async (caller: number): Promise<void> => {
        for (let n = 0; performance.now() < until && !target.signal.aborted; n++) {
          const call = `asking-${caller}-${n}`
          const card = { payerName: 'Acme Health', memberId: `M-${caller}-${n}` }
          const body = { message: { toolCalls: [{ id: call, function: { arguments: card } }] } }
          const from = `+1646${2_000_000 + caller}`
          await target.send(post('/patient-journey/submit_insurance_info', call, body, from))
        }
      }
      await Promise.all(times(calls, keepAsking))
    } finally {
      system.closeAllConnections()
      system.close()
    }
  },
})

async function useSystem({ send, url, authorization }: Target, system: Server): Promise<void> {
  const path = `/clinics/${HOSTILE_CLINIC}/settings`
  const current = await (await fetch(`${url}${path}`, { headers: { authorization } })).json()
  const address = `http://127.0.0.1:${(system.address() as AddressInfo).port}/verify`
  const settings = { ...current, insurance: { enabled: true, url: address, token: 'token-of-the-clinic' } }
  const headers = { 'content-type': 'application/json' }
  await send({ method: 'PUT', path, headers, body: JSON.stringify(settings) })
}

const SPOKEN_TOOLS = [
  'patient-journey/submit_insurance_info',
  'patient-journey/record_self_pay_decision',
  'patient-journey/update_registration_field',
  'patient-journey/escalate_billing',
]

export const calls: readonly HostileCase[] = [
  {
    name: 'tool-texts-of-1-mb',
    about: '16 tool requests with names, addresses and reasons of 1 MB',
    stored: 'nothing',
    attack: () =>
      ofTools(16, 16, (n) =>
        toolCalls('patient-intake/submit_intake', `long-${n}`, 1, () => ({
          firstName: 'a '.repeat(500_000),
          lastName: 'double u '.repeat(110_000),
          phone: 'five '.repeat(200_000),
          email: 'a dot '.repeat(170_000),
          dateOfBirth: 'March third '.repeat(80_000),
          address: '12 Maple Street, '.repeat(60_000),
          reasonForVisit: 'a cough '.repeat(120_000),
        })),
      ),
  },
  {
    name: 'spoken-values-of-100-kb',
    about: '16 tool requests with 32 ids, prices, answers and reasons of 100 kB in words',
    stored: 'nothing',
    attack: () =>
      ofTools(16, 16, (n) =>
        toolCalls(SPOKEN_TOOLS[n % SPOKEN_TOOLS.length] ?? '', `spoken-${n}`, 32, () => ({
          payerName: 'Acme Health',
          memberId: 'm as in mary '.repeat(8_000),
          subscriberName: 's m i t h '.repeat(10_000),
          decision: 'self_pay_continue',
          selfPayPriceCents: 'one hundred '.repeat(8_500),
          commsConsent: 'yes of course '.repeat(7_000),
          reason: 'the bill '.repeat(11_000),
        })),
      ),
  },
  {
    name: 'tool-calls-by-500',
    about: '8 tool requests with 500 tool calls each',
    stored: 'records',
    attack: () =>
      ofTools(8, 8, (n) =>
        toolCalls('patient-journey/resolve_patient_identity', `many-${n}`, 500, (i) => ({
          statedName: `Abe ${i}`,
          statedPhone: `+1646200${1000 + i}`,
        })),
      ),
  },
  {
    name: 'tool-calls-by-32-connections',
    about: '32 calls at the same time with 32 tool calls in each request, for 3 s',
    stored: 'records',
    attack: () =>
      flood(
        32,
        3,
        times(256, (n) =>
          toolCalls('patient-journey/update_registration_field', `flood-${n}`, 32, (i) => ({
            firstName: `Ada${i}`,
            lastName: `Abe${n}`,
            email: `caller-${i} at mail dot example`,
          })),
        ),
      ),
  },
  {
    name: 'clinic-info-of-large-schedules',
    about: '16 calls ask at the same time, 32 times each, what the clinic offers and when it is open',
    stored: 'large schedules',
    attack: () =>
      ofTools(16, 16, (n) =>
        toolCalls(
          n % 2 === 0 ? 'emr-scheduling/get_clinic_info' : 'emr-scheduling/list_appointment_types',
          `info-${n}`,
          32,
          () => ({}),
        ),
      ),
  },
  {
    name: 'verify-by-16-calls',
    about: '16 calls verify their callers by 32 names of six words at the same time',
    stored: 'records',
    attack: () =>
      ofTools(16, 16, (n) =>
        toolCalls('emr-scheduling/verify_patient', `verify-${n}`, 32, (i) => ({
          statedName: `Abe Ada Ben${i} Bea${n} Ann Abeham`,
          statedDateOfBirth: '1980-03-03',
        })),
      ),
  },
  {
    name: 'insurance-that-never-answers',
    about:
      '400 calls at the same time ask a verification system that never answers, for 8 s, and the background asks it again',
    stored: 'nothing',
    attack: () => askingSilentSystem(32, 8),
  },
  {
    name: 'registered-calls',
    about: '32 connections register calls (POST /calls) for 3 s',
    stored: 'nothing',
    attack: () =>
      flood(
        32,
        3,
        times(20_000, (n) =>
          post('/calls', `call-${n}`, {
            callId: `call-${n}`,
            dialedNumber: HOSTILE_NUMBER,
            callerNumber: '+12125550123',
          }),
        ),
      ),
  },
]
