/**
 * Call sessions, stored for the whole service, as a call id is known before its clinic; and their registration by
 * `POST /calls`. Stored values of a call are fixed: a later request that contradicts them is refused.
 */

import { readSettings } from '../../clinics/settings.ts'
import {
  CALL,
  CALL_LIFETIME,
  type CallSession,
  callKey,
  isCallId,
  MAX_CALL_ID_LENGTH,
  rememberedCall,
} from '../../core/call-session.ts'
import { conflict, FhirError, type Issue, unprocessable } from '../../fhir/outcome.ts'
import { ID } from '../../fhir/reference.ts'
import { isObject } from '../../fhir/resource.ts'
import { recordKind, SERVICE } from '../../repository/record-kinds.ts'
import type { Repository, UnitOfWork } from '../../repository/repository.ts'
import { spokenPhone } from '../../spoken/spoken-phone.ts'
import {
  type CallMetadata,
  findDialedNumber,
  isSpellingOf,
  METADATA_FIELDS,
  readCallerNumber,
  requireFilledIn,
  unfilledIssues,
} from './call-metadata.ts'
import { callAbout, callTo } from './outbound-call.ts'

export const OPEN_CALL = recordKind<OpenCall>('open-call')

export interface OpenCall {
  readonly callId: string
  /** Time of the latest tool call, to within SEEN_WITHIN; milliseconds since 1970 UTC. */
  readonly seen: number
}

/** In demo mode, calls without metadata share one call, so that a first request works; it never ends by itself. */
const DEFAULT_CALL = 'demo-default-call'

/** The hint in each result of a request that names no call. */
export const DEFAULT_CALL_HINT =
  'This request names no call, so it belongs to the default call of the demo clinic, which all such requests share; send x-call-id, a new id for each call, as it is required outside demo mode'

/** Milliseconds; so that concurrent tool calls seldom write the same record, which would cause a retry. */
const SEEN_WITHIN = 60_000

/** @param idle milliseconds without a tool call after which the call counts as ended */
export async function seeCall(unit: UnitOfWork, { callId }: CallSession, idle: number): Promise<void> {
  if (callId === DEFAULT_CALL) return
  const key = callKey(callId)
  const seen = (await unit.records.read(OPEN_CALL, key))?.value.seen
  if (seen !== undefined && unit.now - seen < SEEN_WITHIN) return
  unit.records.put(OPEN_CALL, key, { callId, seen: unit.now }, { due: unit.now + idle })
}

/** A call registered in advance by a platform. */
export interface CallRegistration {
  readonly callId: string
  readonly dialedNumber: string
  readonly callerNumber?: string
  /** Patient.id, for a call placed by the clinic itself. */
  readonly patient?: string
  /** Task.id of the abandonment that such a call is about; its patient is the patient of the call. */
  readonly abandonment?: string
}

/** @throws FhirError if the request is not permitted in calls of the clinic */
export type AllowClinic = (clinic: string) => Promise<void>

export class CallSessions {
  readonly #repository: Repository
  readonly #demoClinic: string | undefined
  readonly #idle: number

  /**
   * @param demoClinic in demo mode: the clinic of calls that name none
   * @param idle milliseconds without a tool call after which a call counts as ended
   */
  constructor(repository: Repository, { demoClinic, idle }: { demoClinic?: string | undefined; idle: number }) {
    this.#repository = repository
    this.#demoClinic = demoClinic
    this.#idle = idle
  }

  /**
   * The session of a request.
   * @param allow runs before anything is stored
   * @throws FhirError with the reason `call-not-identified` or `call-mismatch`, and what `allow` throws
   */
  async identify(given: CallMetadata, allow: AllowClinic = async () => {}): Promise<CallSession> {
    requireFilledIn(given)
    const { callId, dialedNumber, callerNumber } = given
    if (callId === undefined && (dialedNumber !== undefined || callerNumber !== undefined)) {
      throw notIdentified('x-call-to and x-call-from describe a call, but only x-call-id names it; send x-call-id too')
    }
    if (callId === undefined && this.#demoClinic === undefined) {
      throw notIdentified('send the header x-call-id, with x-call-to for a call that was not registered ahead')
    }
    if (callId !== undefined && !isCallId(callId)) {
      throw notIdentified(`x-call-id must have 1 to ${MAX_CALL_ID_LENGTH} characters and no spaces`)
    }
    const metadata = {
      callId: callId ?? DEFAULT_CALL,
      ...(dialedNumber === undefined ? {} : { dialedNumber }),
      ...(callerNumber === undefined ? {} : { callerNumber }),
    }
    const known = await this.#find(metadata.callId)
    if (known === undefined) return await this.#create(metadata, allow)
    await this.#requireAllowed(known.clinic, dialedNumber, allow)
    return await this.#requireAgreement(known, metadata)
  }

  /**
   * Registers a call in advance; repeating the same registration changes nothing.
   * @param allow runs before anything is stored
   * @returns the session as registered here, without other data of one stored before
   * @throws FhirError 422 if no clinic has the dialled number, it has no such patient, or the person must not be
   * called; 409 if the call is stored with other values
   */
  async register(
    registration: CallRegistration,
    allow: AllowClinic = async () => {},
  ): Promise<{ readonly session: CallSession; readonly created: boolean }> {
    const session = await this.#sessionOf(registration, allow)
    const stored = (await this.#find(session.callId)) ?? (await this.#store(session))
    if (stored === session) return { session, created: true }
    requireSame(stored, session)
    return { session, created: false }
  }

  /**
   * Only a request that names the clinic, by `dialedNumber`, learns that it failed the check of the call's clinic. For
   * any other request the call appears not to exist.
   */
  async #requireAllowed(clinic: string, dialedNumber: string | undefined, allow: AllowClinic): Promise<void> {
    try {
      await allow(clinic)
    } catch (error) {
      if (!(error instanceof FhirError) || error.code !== 'call-not-signed') throw error
      const dialed = dialedNumber === undefined ? undefined : await findDialedNumber(this.#repository, dialedNumber)
      throw dialed?.clinic === clinic ? error : notIdentified(UNKNOWN_CALL)
    }
  }

  async #sessionOf(
    { callId, dialedNumber, callerNumber, patient, abandonment }: CallRegistration,
    allow: AllowClinic,
  ): Promise<CallSession> {
    const dialed = await findDialedNumber(this.#repository, dialedNumber)
    if (dialed === undefined) throw unprocessable(NO_CLINIC, { reason: 'number-not-known' })
    const { clinic, number } = dialed
    await allow(clinic)
    const settings = await readSettings(this.#repository, clinic)
    const unit = await this.#repository.reader(clinic)
    const about = abandonment === undefined ? {} : await callAbout(unit, { id: abandonment, patient, settings })
    const caller = await this.#caller(clinic, callerNumber)
    const to = { patient: patient ?? '', callerNumber: caller.callerNumber, region: settings.defaultRegion }
    return {
      clinic,
      callId,
      dialedNumber: number,
      registeredAhead: true,
      ...caller,
      ...(patient === undefined ? {} : await callTo(unit, to)),
      ...about,
    }
  }

  /** The caller's number as read in the clinic's region, if it is valid. */
  async #caller(clinic: string, text: string | undefined): Promise<Pick<CallSession, 'callerNumber'>> {
    if (text === undefined) return {}
    const { defaultRegion } = await readSettings(this.#repository, clinic)
    const callerNumber = readCallerNumber(text, defaultRegion)
    return callerNumber === undefined ? {} : { callerNumber }
  }

  /** @throws FhirError `call-not-identified` if the dialled number belongs to no clinic */
  async #create(metadata: CallMetadata & { readonly callId: string }, allow: AllowClinic): Promise<CallSession> {
    const { callId, dialedNumber, callerNumber } = metadata
    const dialed = dialedNumber === undefined ? undefined : await findDialedNumber(this.#repository, dialedNumber)
    const clinic = dialedNumber === undefined ? this.#demoClinic : dialed?.clinic
    if (clinic === undefined) {
      throw notIdentified(dialedNumber === undefined ? UNKNOWN_CALL : `x-call-to: ${NO_CLINIC}`)
    }
    await allow(clinic)
    const stored = await this.#store({
      clinic,
      callId,
      ...(dialed === undefined ? {} : { dialedNumber: dialed.number }),
      ...(await this.#caller(clinic, callerNumber)),
    })
    return await this.#requireAgreement(stored, metadata)
  }

  /** Returns `session`. @throws FhirError `call-mismatch` if the request contradicts it */
  async #requireAgreement(session: CallSession, metadata: CallMetadata): Promise<CallSession> {
    const { dialedNumber } = metadata
    if (dialedNumber !== undefined && !(await this.#isDialed(session, dialedNumber)))
      throw mismatch('x-call-to', DIFFERS)
    await this.#requireCaller(session, metadata.callerNumber)
    return session
  }

  /** A call registered with a number keeps it, even if a request states none. */
  async #requireCaller(
    { clinic, callerNumber, registeredAhead }: CallSession,
    text: string | undefined,
  ): Promise<void> {
    if (text === callerNumber) return
    const given = (await this.#caller(clinic, text)).callerNumber
    if (given === callerNumber || (given === undefined && registeredAhead)) return
    const change = given === undefined ? DISAPPEARED : APPEARED
    throw mismatch('x-call-from', given === undefined || callerNumber === undefined ? change : DIFFERS)
  }

  /** A session without a dialled number (demo mode) accepts one of the same clinic. */
  async #isDialed({ clinic, dialedNumber }: CallSession, text: string): Promise<boolean> {
    if (dialedNumber !== undefined) return text === dialedNumber || isSpellingOf(text, dialedNumber)
    return (await findDialedNumber(this.#repository, text))?.clinic === clinic
  }

  async #find(callId: string): Promise<CallSession | undefined> {
    const record = await this.#repository.readRecord(SERVICE, CALL, callKey(callId))
    if (record === undefined) return undefined
    const { generation, now } = await this.#repository.reader(record.value.clinic)
    return rememberedCall(record, { generation, now })
  }

  /** Stores a new session, and returns it, or the one stored meanwhile by another request. */
  #store(session: CallSession): Promise<CallSession> {
    const store = async (unit: UnitOfWork): Promise<CallSession> => {
      const key = callKey(session.callId)
      const current = await unit.records.read(CALL, key)
      const known = rememberedCall(current, unit)
      if (known !== undefined) return known
      const { generation, now } = unit
      const stored = generation === 0 ? session : { ...session, generation }
      unit.records.put(CALL, key, stored, { due: now + CALL_LIFETIME })
      await seeCall(unit, session, this.#idle)
      return session
    }
    // A retried change finds its own session, so the tool calls may still move to a worker.
    return this.#repository.change(session.clinic, store, { isRepeatable: true })
  }
}

const UNKNOWN_CALL =
  'the call of x-call-id is not known; send x-call-to, the dialled number, or register it with POST /calls'
const NO_CLINIC = 'no clinic is reached under that number; send it in E.164, as the settings of a clinic list it'

/** The status is never sent: problems of a tool request are reported in its results. */
const notIdentified = (what: string): FhirError =>
  new FhirError(422, { code: 'not-found', diagnostics: `call not identified: ${what}`, reason: 'call-not-identified' })

const mismatch = (header: string, problem: string): FhirError =>
  conflict(`${header} ${problem}`, { reason: 'call-mismatch' })

const DIFFERS = 'is not what this call began with; the first value holds'

const REMEDY =
  'send the same x-call-from in each request of a call, or register the call with its callerNumber (POST /calls)'
const DISAPPEARED = `holds no number, but this call began with one; ${REMEDY}`
const APPEARED = `holds a number, but this call began without one; ${REMEDY}`

/** @throws FhirError 409 if `known` differs in a value that `wanted` has; values absent there are not compared */
function requireSame(known: CallSession, wanted: CallSession): void {
  // A caller who turned out to be someone else changes the patient of the call, but not the registration.
  const registered = known.insteadOf === undefined ? known : { ...known, patient: known.insteadOf }
  const different = (['clinic', 'dialedNumber', 'callerNumber', 'patient', 'abandonment'] as const).filter(
    (name) => wanted[name] !== undefined && wanted[name] !== registered[name],
  )
  if (different.length === 0) return
  const names = different.map((name) => (name === 'clinic' ? 'dialedNumber' : name)).join(', ')
  throw conflict(`The call is registered already, with another ${names}; a registered call can't be changed`, {
    reason: 'call-mismatch',
  })
}

const EXAMPLE = '{"callId": "…", "dialedNumber": "+12125550100", "callerNumber": "+12125550123"}'

/** Reads the body of `POST /calls`. @throws FhirError 400 with an issue for each invalid field */
export function readRegistration(body: unknown): CallRegistration {
  if (!isObject(body)) throw new FhirError(400, invalid('', `The body must be an object such as ${EXAMPLE}`))
  const unfilled = METADATA_FIELDS.flatMap((name) => unfilledIssues(name, body[name], name))
  const issues = unfilled.length > 0 ? unfilled : problemsOf(body, FIELDS)
  if (issues.length > 0) throw new FhirError(400, issues)
  return {
    callId: String(body.callId),
    dialedNumber: String(body.dialedNumber),
    ...(isAbsent(body.callerNumber) ? {} : { callerNumber: String(body.callerNumber) }),
    ...(isAbsent(body.abandonment) ? {} : { abandonment: String(body.abandonment) }),
    ...(isAbsent(body.patient) ? {} : { patient: String(body.patient).replace(/^Patient\//, '') }),
  }
}

const FIELDS: Readonly<Record<keyof CallRegistration, Field>> = {
  callId: {
    required: true,
    accepts: isCallId,
    expected: `a string of 1 to ${MAX_CALL_ID_LENGTH} characters without spaces`,
  },
  dialedNumber: { required: true, accepts: isPhone, expected: 'the number that was dialled, e.g. "+12125550100"' },
  // A caller may withhold the number: "anonymous" registers a call without one, as in a header.
  callerNumber: {
    required: false,
    accepts: (value) => typeof value === 'string',
    expected: 'the number of the caller, e.g. "+12125550123"',
  },
  patient: {
    required: false,
    accepts: (value) => typeof value === 'string' && /^(?:Patient\/)?[A-Za-z0-9.-]{1,64}$/.test(value),
    expected: 'the id of a Patient, for a call that the clinic placed',
  },
  abandonment: {
    required: false,
    accepts: (value) => typeof value === 'string' && ID.test(value),
    expected: 'the id that POST /abandonments gave, for a call that the clinic placed about it',
  },
}

/** A field of a body. */
export interface Field {
  readonly required: boolean
  readonly accepts: (value: unknown) => boolean
  readonly expected: string
}

/** An issue for each field that is missing, invalid or unknown; null counts as absent. */
export function problemsOf(body: Record<string, unknown>, fields: Readonly<Record<string, Field>>): readonly Issue[] {
  const unknown = Object.keys(body).filter((name) => !Object.hasOwn(fields, name))
  const names = Object.keys(fields).join(', ')
  return [
    ...Object.entries(fields).flatMap(([name, { required, accepts, expected }]) => {
      const value = body[name]
      if (isAbsent(value)) return required ? [invalid(name, `${name} is missing; it must be ${expected}`)] : []
      return accepts(value) ? [] : [invalid(name, `${name} must be ${expected}`)]
    }),
    ...unknown.map((name) => invalid(name, `'${name.slice(0, 100)}' is not known; the fields are ${names}`)),
  ]
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null

function isPhone(value: unknown): boolean {
  return typeof value === 'string' && spokenPhone(value, undefined).ok
}

export const invalid = (name: string, diagnostics: string): Issue => ({
  code: 'invalid',
  diagnostics,
  ...(name === '' ? {} : { expression: name }),
})
