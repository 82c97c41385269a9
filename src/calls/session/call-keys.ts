/**
 * Keys with which an agent refers to slots, appointment types and appointments that it has received. A key is random
 * and valid only in its own call, so an agent can neither invent one nor use one of another call.
 */
import { randomInt } from 'node:crypto'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import { putOfCall, readOfCall } from '../record/call-record.ts'

export type KeyKind = 'slot' | 'appointment-type' | 'appointment'

interface GivenKey {
  readonly key: string
  /** For example the id of a Slot. */
  readonly value: string
}

/** Keys by kind, the most recent last. */
export type CallKeys = Readonly<Partial<Record<KeyKind, readonly GivenKey[]>>>

const CALL_KEYS = recordKind<CallKeys>('call-keys')

/** Most keys of one kind in a call; the oldest beyond that become unknown. */
export const MAX_KEYS = 200

/** Letters and digits that are not mistaken for one another; without vowels, so that no key is a word. */
const SIGNS = '23456789bcdfghjkmnpqrstvwxz'
const LENGTH = 9

/**
 * Keys for the values, in the same order, staged in the record of the call. A value keeps its key throughout the call.
 * @param values MAX_KEYS at most, such as ids of Slots
 */
export async function keysFor(
  ctx: Context,
  call: CallSession,
  kind: KeyKind,
  values: readonly string[],
): Promise<readonly string[]> {
  const stored = (await readOfCall(ctx, CALL_KEYS, call)) ?? {}
  const before = stored[kind] ?? []
  const taken = new Set(Object.values(stored).flatMap((keys) => keys.map(({ key }) => key)))
  const given = new Map(before.map((one) => [one.value, one]))
  const wanted = [...new Set(values)].map((value) => given.get(value) ?? { key: newKey(value, taken), value })
  const others = before.filter(({ value }) => !wanted.some((one) => one.value === value))
  const after = [...others, ...wanted].slice(-MAX_KEYS)
  if (after.some((one, index) => one !== before[index])) {
    await putOfCall(ctx, CALL_KEYS, call, { ...stored, [kind]: after })
  }
  const keys = new Map(wanted.map(({ key, value }) => [value, key]))
  return values.flatMap((value) => keys.get(value) ?? [])
}

/**
 * Returns undefined for a key that this call has not received for that kind. Case and surrounding spaces are ignored.
 */
export async function valueOfKey(
  ctx: Context,
  call: CallSession,
  kind: KeyKind,
  key: string,
): Promise<string | undefined> {
  const keys = (await readOfCall(ctx, CALL_KEYS, call))?.[kind] ?? []
  const wanted = key.trim().toLowerCase()
  return keys.find((one) => one.key === wanted)?.value
}

/**
 * Random keys are drawn again if they contain the id, which is likely for an id of one or two letters; so no key ever
 * reveals an id.
 */
function newKey(value: string, taken: Set<string>): string {
  for (;;) {
    const key = Array.from({ length: LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join('')
    if (taken.has(key) || (value !== '' && key.includes(value.toLowerCase()))) continue
    taken.add(key)
    return key
  }
}

/** Whether a text looks like a key, so that it is not mistaken for the caller's words. */
export const isKeyShaped = (text: string): boolean =>
  text.trim().length === LENGTH && [...text.trim().toLowerCase()].every((sign) => SIGNS.includes(sign))

const WHAT: Readonly<Record<KeyKind, { readonly name: string; readonly from: string; readonly say: string }>> = {
  slot: {
    name: 'slot',
    from: 'find_available_slots',
    say: 'Sorry, I lost track of that time. Let me look for free times again.',
  },
  'appointment-type': {
    name: 'appointment type',
    from: 'list_appointment_types',
    say: 'Sorry, I lost track of that. Let me look at the kinds of appointments again.',
  },
  appointment: {
    name: 'appointment',
    from: 'list_appointments',
    say: 'Sorry, I lost track of that appointment. Let me look at your appointments again.',
  },
}

/** The failure of a tool that was given a key unknown to valueOfKey. @param argument name of the argument */
export function unknownKey(kind: KeyKind, argument: string): FhirError {
  const { name, from, say } = WHAT[kind]
  return new FhirError(404, {
    code: 'not-found',
    reason: 'unknown-key',
    diagnostics: `Unknown ${name} key in ${argument}; use one that ${from} returned in this call`,
    expression: argument,
    text: say,
  })
}
