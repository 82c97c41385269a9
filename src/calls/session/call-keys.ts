/**
 * Keys by which an agent refers to what it was told of: slots, appointment types, appointments. A key is random and
 * means something in its own call only, so an agent can neither make one up nor use that of another call.
 */
import { randomInt } from 'node:crypto'
import type { CallSession } from '../../core/call-session.ts'
import type { Context } from '../../core/context.ts'
import { FhirError } from '../../fhir/outcome.ts'
import { recordKind } from '../../repository/record-kinds.ts'
import { putOfCall, readOfCall } from '../record/call-records.ts'

export type KeyKind = 'slot' | 'appointment-type' | 'appointment'

interface GivenKey {
  readonly key: string
  /** Such as the id of the Slot. */
  readonly value: string
}

/** By kind, those given last at the end. */
export type CallKeys = Readonly<Partial<Record<KeyKind, readonly GivenKey[]>>>

const CALL_KEYS = recordKind<CallKeys>('call-keys')

/** Of one kind in a call. With more the ones that were given longest ago are forgotten, and then unknown. */
export const MAX_KEYS = 200

/** Letters and digits that nobody takes for one another; without vowels, so that no key is a word. */
const SIGNS = '23456789bcdfghjkmnpqrstvwxz'
const LENGTH = 9

/**
 * A key for each value, in their order, staged in the record of the call. The same value has the same key all through
 * the call.
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

/** Undefined for a key that this call was not given for such a thing. Case and spaces around it do not count. */
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

/** An id of a letter or two is in many a random key: such a key is drawn again, so that no key ever shows an id. */
function newKey(value: string, taken: Set<string>): string {
  for (;;) {
    const key = Array.from({ length: LENGTH }, () => SIGNS[randomInt(SIGNS.length)]).join('')
    if (taken.has(key) || (value !== '' && key.includes(value.toLowerCase()))) continue
    taken.add(key)
    return key
  }
}

/** Whether a text looks like a key, so that it is not taken for what a caller has said. */
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

/** The failure of a tool that is given a key which valueOfKey does not know. @param argument its name */
export function unknownKey(kind: KeyKind, argument: string): FhirError {
  const { name, from, say } = WHAT[kind]
  return new FhirError(404, {
    code: 'not-found',
    reason: 'unknown-key',
    diagnostics: `${argument} is no key of ${name === 'slot' ? 'a' : 'an'} ${name} in this call; take one from ${from}`,
    expression: argument,
    text: say,
  })
}
