/**
 * The simulator of insurance verification: the member id decides the result, by the table of magic values.
 * docs/simulators.md
 */
import type { InsuranceRequest, InsuranceResult, InsuranceStatus, InsuranceVerification } from '../../core/ports.ts'
import { magic } from '../../rehearsal/magic/table.ts'

interface MagicMember {
  /** The beginning of the member id, before a dash. */
  readonly begins: string
  readonly status: InsuranceStatus
  readonly errorMessage?: string
  readonly afterMs?: number
}

/** Any other well-formed id is verified. */
const MEMBERS: readonly MagicMember[] = magic.values.flatMap(({ with: { memberIdBegins: begins }, expect }) =>
  begins === undefined ? [] : [{ begins, ...(expect as Omit<MagicMember, 'begins'>) }],
)

/** Slower than a caller waits; the rest of the id decides the result. */
const SLOW = MEMBERS.filter(({ afterMs }) => afterMs !== undefined)
const DECIDING = MEMBERS.filter(({ afterMs }) => afterMs === undefined)

const MEMBER_ID = /^[A-Z\d-]{4,30}$/
const NO_MEMBER_ID = 'The member id is not one: it has 4 to 30 letters, digits and dashes'

/** Cents, for a member id that does not end in two digits. */
const DEFAULT_COPAY = 2500

/**
 * The result of the simulator, which depends on the member id alone, and the milliseconds after which it is sent.
 * docs/simulators.md
 * @param spoken the member id in any case, with or without spaces
 */
export function simulated(spoken: string): { readonly result: InsuranceResult; readonly afterMs: number } {
  const memberId = spoken.replace(/\s/g, '').toUpperCase()
  if (!MEMBER_ID.test(memberId))
    return { result: { status: 'INVALID_MEMBER_INFO', errorMessage: NO_MEMBER_ID }, afterMs: 0 }
  const slow = memberIn(SLOW, memberId)
  const deciding = slow === undefined ? memberId : memberId.slice(slow.begins.length).replace(/^-/, '')
  return { result: resultFor(deciding), afterMs: slow?.afterMs ?? 0 }
}

/** Without any delay. */
export const insuranceSimulator = {
  verify: async ({ memberId }: InsuranceRequest) => simulated(memberId).result,
} satisfies InsuranceVerification

const memberIn = (members: readonly MagicMember[], memberId: string): MagicMember | undefined =>
  members.find(({ begins }) => memberId.startsWith(begins))

function resultFor(memberId: string): InsuranceResult {
  const { status, errorMessage } = memberIn(DECIDING, memberId) ?? { status: 'VERIFIED' }
  if (status === 'VERIFIED') return { status, copayCents: copayOf(memberId) }
  return errorMessage === undefined ? { status } : { status, errorMessage }
}

/** The last two digits are dollars. */
function copayOf(memberId: string): number {
  const dollars = /\d\d$/.exec(memberId)?.[0]
  return dollars === undefined ? DEFAULT_COPAY : Number(dollars) * 100
}
