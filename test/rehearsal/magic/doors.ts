/** The doors by which a person of the table of magic people is reached, with the values of a row. */
import type { Bundle, OperationOutcome, Patient } from 'fhir/r4'
import { Webhook } from 'standardwebhooks'
import type { MagicRow } from '../../../src/rehearsal/magic/table.ts'
import { request } from '../../support/request.ts'
import type { TestServer } from '../../support/server.ts'
import { TO_ZOO, ZOO } from './zoo.ts'

type With = MagicRow['with']

export function searchOf({ given, family, birthDate, phone = '' }: With): string {
  const known = Object.entries({ given, family, birthdate: birthDate }).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value]],
  )
  return `/Patient?${new URLSearchParams(known.length > 0 ? known : { phone })}`
}

/** The number of Patients of a search by what is known; by the phone where no name is. */
export async function searched({ fhir }: TestServer, known: With): Promise<number> {
  const { body } = await fhir('GET', `${searchOf(known)}&_count=200&_total=accurate`)
  const entries: number = (body.entry ?? []).length
  return body.total === entries ? entries : Number.NaN
}

/** The answer of $match: how many, the grade of all where it is the same, the first, and what the outcome says. */
export async function matched({ fhir }: TestServer, known: With) {
  const { body } = await fhir('POST', '/Patient/$match', patientOf(known))
  const { entry = [] } = body as Bundle
  const patients = entry.filter(({ search }) => search?.mode === 'match')
  const grades = new Set(patients.map(({ search }) => search?.extension?.[0]?.valueCode))
  const outcome = entry.find(({ search }) => search?.mode === 'outcome')?.resource as OperationOutcome | undefined
  return {
    total: body.total,
    ...(grades.size === 1 && { grade: [...grades][0] }),
    ...(patients[0] && { first: `Patient/${patients[0].resource?.id}` }),
    ...(outcome && { outcome: outcome.issue[0]?.code }),
  }
}

export function patientOf({ given, family, suffix, birthDate, phone, email }: With): Patient {
  const telecom = Object.entries({ phone, email }).flatMap(([system, value]) =>
    value === undefined ? [] : [{ system: system as 'phone' | 'email', value }],
  )
  const name = {
    ...(family && { family }),
    ...(given && { given: given.split(' ') }),
    ...(suffix && { suffix: [suffix] }),
  }
  return {
    resourceType: 'Patient',
    ...(Object.keys(name).length > 0 && { name: [name] }),
    ...(birthDate && { birthDate }),
    ...(telecom.length > 0 && { telecom }),
  }
}

const statedName = ({ given, family, suffix }: With): string => [given, family, suffix].filter(Boolean).join(' ')

/** EXISTING or NEW, in a call of its own. */
export async function identified(zoo: TestServer, name: string, known: With): Promise<unknown> {
  const stated = {
    ...(statedName(known) && { statedName: statedName(known) }),
    ...(known.phone && { statedPhone: known.phone }),
  }
  const call = { ...TO_ZOO, 'x-call-id': `identity-${name}` }
  return (await zoo.tool('/patient-journey/resolve_patient_identity', stated, call)).patientType
}

/** Whether a caller is verified who states name and birth date, in a call of its own. */
export async function verified(zoo: TestServer, name: string, known: With): Promise<unknown> {
  const stated = { statedName: statedName(known), statedDateOfBirth: known.birthDate }
  const call = { ...TO_ZOO, 'x-call-id': `verification-${name}` }
  return (await zoo.tool('/emr-scheduling/verify_patient', stated, call)).verified
}

/** The times with a practitioner that a caller is told, as a person says them. */
export async function offered(zoo: TestServer, { name, with: { family } }: MagicRow): Promise<readonly string[]> {
  const call = { ...TO_ZOO, 'x-call-id': `times-${name}` }
  const { slots } = await zoo.tool(
    '/emr-scheduling/find_available_slots',
    { practitionerName: `doctor ${family}` },
    call,
  )
  return (slots as readonly { readonly label: string }[]).map(({ label }) => label)
}

const SECRET = 'demo-secret'

/** The answer of the simulator that the row is about. */
export async function asks({ url }: TestServer, { with: { memberId, phone: to } }: MagicRow): Promise<object> {
  if (memberId !== undefined) {
    const body = { clinic: ZOO, payerName: 'Acme Health', memberId }
    return (await request(url, 'POST', '/simulators/insurance', body, { authorization: `Bearer ${SECRET}` })).body
  }
  const data = { clinic: ZOO, channel: 'sms', to, text: 'Hello' }
  const body = JSON.stringify({ type: 'message.requested', timestamp: new Date().toISOString(), data })
  try {
    const { status, headers } = await request(url, 'POST', '/simulators/messages', body, signed(body))
    const retryAfter = headers.get('retry-after')
    return { status, ...(retryAfter !== null && { retryAfter: Number(retryAfter) }) }
  } catch {
    return {}
  }
}

function signed(body: string): Record<string, string> {
  const [id, now] = ['message-1', new Date()]
  const signature = new Webhook(Buffer.from(SECRET).toString('base64')).sign(id, now, body)
  const timestamp = String(Math.floor(now.getTime() / 1000))
  return { 'webhook-id': id, 'webhook-timestamp': timestamp, 'webhook-signature': signature }
}
